/** A machine's immediate reply to a notice, where it is a MESS message. */
import { isMap } from "../../mess/json.ts";
import { parseMessages } from "../../mess/wire/parse.ts";
import type { MessageType } from "../../mess/wire/schema.ts";
import { splitTarget } from "../../mess/refs.ts";
import { readDocuments } from "../../mess/wire/read-yaml.ts";

/** Block types that an executor may reply with. */
const REPLY_TYPES: readonly MessageType[] = ["status", "response", "suggestion", "followup"];

export type MachineReply = { reply: string } | { note: string } | Record<string, never>;

/**
 * The reply, if it is a MESS message about this thread. A text without a `MESS:` map is ignored; a message that does
 * not fit yields a note for the history.
 */
export function readMachineReply(text: string, ref: string): MachineReply {
  const documents = readDocuments(text);
  if (!documents.ok || !documents.value.every(({ value }) => isMap(value) && "MESS" in value))
    return {};
  const parsed = parseMessages(text, { target: ref });
  if (!parsed.ok) return { note: `its reply is not a valid message: ${parsed.error.code}` };
  for (const { re, blocks } of parsed.value) {
    if (re === undefined || splitTarget(re).thread !== ref)
      return { note: "its reply is about another thread" };
    if (!blocks.every(({ type }) => REPLY_TYPES.includes(type)))
      return { note: "its reply contains more than status and response" };
  }
  return { reply: text };
}
