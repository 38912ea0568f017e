/** The common parts of the tools of AI groups: their names, their parameters and the form of their results. */
import * as z from "zod";
import { groupIdFieldSchema } from "../../../../mess/groups/fields.ts";
import { POOL_IDS } from "../../../../mess/groups/vocabulary.ts";
import type { ToolNamer } from "../../tool.ts";
import { outputTextSchema } from "../../results/output-text.ts";

export const groupIdSchema = groupIdFieldSchema.optional().describe("Your group");
export const myIdSchema = groupIdFieldSchema.optional().describe("Your id");
export const requiredIdSchema = groupIdFieldSchema;

/** The listed schema names only the fields on which a client can rely. */
export const groupOutputSchema = z.looseObject({ text: outputTextSchema });

export const agentOutputSchema = z.looseObject({
  text: outputTextSchema,
  agent_id: outputTextSchema,
});

export const poolSchema = z.enum(POOL_IDS).optional().describe("Default agents");

/**
 * The tools that only read or write within the caller's groups. A client may approve them for the session, so that an
 * agent can work without a person who confirms each call.
 */
const SESSION_TOOLS = [
  "send",
  "read",
  "pending",
  "mark_read",
  "mark_all_read",
  "search",
  "wait",
  "status",
  "rejoin",
  "heartbeat",
  "agent_status",
];

export const listSessionTools = (toolName: ToolNamer): string[] => SESSION_TOOLS.map(toolName);
