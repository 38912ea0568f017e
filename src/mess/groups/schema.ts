/** Schemas of the fields of AI groups, which the routes and the tools share. */
import * as z from "zod";
import { boundedTextSchema } from "../lengths.ts";
import { GROUP_LIMITS, GROUP_MESSAGE_TYPES, IMPORTANCES, POOL_STATUSES } from "./vocabulary.ts";

/** Longer than any id, with room for a mistake that the refusal can then name. */
const MAX_ID_CHARS = 64;

/** The id of a group, member or message. */
const idSchema = boundedTextSchema(MAX_ID_CHARS).min(1);

const listSchema = (maxItems: number) =>
  z.array(boundedTextSchema(GROUP_LIMITS.itemChars).min(1)).max(maxItems);

const nameSchema = boundedTextSchema(GROUP_LIMITS.nameChars).min(1);

export const GROUP_FIELD_SCHEMAS = {
  group_id: idSchema,
  member_id: idSchema,
  message_id: idSchema,
  topic: boundedTextSchema(GROUP_LIMITS.topicChars).min(1),
  name: nameSchema,
  description: boundedTextSchema(GROUP_LIMITS.descriptionChars),
  content: boundedTextSchema(GROUP_LIMITS.contentChars).min(1),
  message_type: z.enum(GROUP_MESSAGE_TYPES),
  importance: z.enum(IMPORTANCES),
  tool_usage: listSchema(GROUP_LIMITS.toolUsageItems),
  files_modified: listSchema(GROUP_LIMITS.filesModifiedItems),
  capability: nameSchema,
  capabilities: z.array(nameSchema).max(GROUP_LIMITS.capabilities),
  terminal_info: boundedTextSchema(GROUP_LIMITS.terminalInfoChars),
  /** The text of a task, or the summary of a handoff. */
  summary: boundedTextSchema(GROUP_LIMITS.summaryChars).min(1),
  pool_status: z.enum(POOL_STATUSES),
  limit: z.number().int().min(1).max(GROUP_LIMITS.pageMessages),
  /** A position in a group. */
  position: z.number().int().min(0),
} as const;
