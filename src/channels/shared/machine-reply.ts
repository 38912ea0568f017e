/** What a machine answers a notice with, where that is a message: it is said in the machine's name at once. */
import { isMap } from "../../mess/json.ts";
import { parseMessages } from "../../mess/wire/parse.ts";
import type { MessageType } from "../../mess/wire/schema.ts";
import { splitTarget } from "../../mess/refs.ts";
import { readDocuments } from "../../mess/wire/read-yaml.ts";

/** What an executor says of its work. */
const REPLY_TYPES: readonly MessageType[] = ["status", "response", "suggestion", "followup"];

export type MachineReply = { reply: string } | { note: string } | Record<string, never>;

/**
 * The text where it is MESS about this thread. A text without a `MESS:` map is no message and stays unheard; one that
 * is a message, but not for here, is noted.
 */
export function readMachineReply(text: string, ref: string): MachineReply {
  const documents = readDocuments(text);
  if (!documents.ok || !documents.value.every(({ value }) => isMap(value) && "MESS" in value))
    return {};
  const parsed = parseMessages(text, { target: ref });
  if (!parsed.ok) return { note: `its answer is no message: ${parsed.error.code}` };
  for (const { re, blocks } of parsed.value) {
    if (re === undefined || splitTarget(re).thread !== ref)
      return { note: "its answer speaks of another thread" };
    if (!blocks.every(({ type }) => REPLY_TYPES.includes(type)))
      return { note: "its answer holds more than status and response" };
  }
  return { reply: text };
}
