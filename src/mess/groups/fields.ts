/** Schemas of the fields of AI groups, which the tools and the routes share. */
import * as z from "zod";
import { boundedTextSchema } from "../lengths.ts";
import { LIMITS } from "../limits.ts";
import { isExchangeName } from "./names.ts";
import { WAIT_CURSOR_CHARS } from "./wait-cursor.ts";
import { GROUP_LIMITS } from "./vocabulary.ts";

/** Longer than any id of a group, member or message; a receiver may be an executor of the household. */
const ID_MAX_CHARS = LIMITS.actorIdChars;

export const groupIdFieldSchema = boundedTextSchema(ID_MAX_CHARS).min(1);
/** A member with the name of the exchange could give assignments that look like those of the exchange. */
export const memberNameSchema = boundedTextSchema(GROUP_LIMITS.nameChars)
  .trim()
  .min(1)
  .refine((name) => !isExchangeName(name), {
    error: "the name of the exchange itself; choose another name",
  });
export const topicSchema = boundedTextSchema(GROUP_LIMITS.topicChars).trim().min(1);
export const groupDescriptionSchema = boundedTextSchema(GROUP_LIMITS.descriptionChars);
export const contentSchema = boundedTextSchema(GROUP_LIMITS.contentChars).min(1);
export const summarySchema = boundedTextSchema(GROUP_LIMITS.summaryChars).min(1);
export const terminalInfoSchema = boundedTextSchema(GROUP_LIMITS.terminalInfoChars);
export const groupPositionSchema = z.int().min(0);
export const waitCursorSchema = boundedTextSchema(WAIT_CURSOR_CHARS).min(1);

/** A string that clients send in place of a list: the list as JSON, or its only item. */
function readListText(text: string, maxItems: number): string[] {
  // Escapes may double the characters of an item.
  const isShort = text.length <= maxItems * 2 * (GROUP_LIMITS.itemChars + 2);
  if (!isShort || !text.trimStart().startsWith("[")) return [text];
  try {
    const list: unknown = JSON.parse(text);
    const isList = Array.isArray(list) && list.every((item) => typeof item === "string");
    return isList ? list : [text];
  } catch {
    return [text];
  }
}

/** A list; a string is accepted for one, since models and clients often send it. */
const buildListSchema = (maxItems: number) =>
  z.preprocess(
    (value) => (typeof value === "string" ? readListText(value, maxItems) : value),
    z.array(boundedTextSchema(GROUP_LIMITS.itemChars).min(1)).max(maxItems),
  );

export const toolUsageSchema = buildListSchema(GROUP_LIMITS.toolUsageItems);
export const filesModifiedSchema = buildListSchema(GROUP_LIMITS.filesModifiedItems);

export const groupCapabilitySchema = boundedTextSchema(GROUP_LIMITS.nameChars).min(1);
export const groupCapabilitiesSchema = z
  .array(groupCapabilitySchema)
  .max(GROUP_LIMITS.capabilities);
