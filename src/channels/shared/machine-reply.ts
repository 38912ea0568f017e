/** A machine's immediate reply to a notice, where it is a MESS message. */
import type { Outcome } from "../../mess/errors.ts";
import { isMap, type JsonMap } from "../../mess/json.ts";
import { parseMessages, parseValues } from "../../mess/wire/parse.ts";
import type { Message, MessageInput, MessageType } from "../../mess/wire/schema.ts";
import { splitTarget } from "../../mess/refs.ts";
import { readDocuments } from "../../mess/wire/syntax/read-yaml.ts";

/** Block types that an executor may reply with. */
const REPLY_TYPES: readonly MessageType[] = ["status", "response", "suggestion", "followup"];

export type MachineReply =
  | { reply: readonly MessageInput[] }
  | { note: string }
  | Record<string, never>;

/**
 * The reply, if it is a MESS message about this thread. A text without a `MESS:` map is ignored; a message that does
 * not fit yields a note for the history.
 */
export function readMachineReply(text: string, ref: string): MachineReply {
  const documents = readDocuments(text);
  if (!documents.ok || !documents.value.every(({ value }) => isMap(value) && "MESS" in value))
    return {};
  return toReply(parseMessages(text, { target: ref }), ref);
}

/** Like `readMachineReply`, for a structured result. */
export const readStructuredReply = (value: JsonMap, ref: string): MachineReply =>
  "MESS" in value ? toReply(parseValues([value], { target: ref }), ref) : {};

function toReply(parsed: Outcome<Message[]>, ref: string): MachineReply {
  if (!parsed.ok) return { note: `its reply is not a valid message: ${parsed.error.code}` };
  for (const { re, blocks } of parsed.value) {
    if (re === undefined || splitTarget(re).thread !== ref)
      return { note: "its reply is about another thread" };
    if (!blocks.every(({ type }) => REPLY_TYPES.includes(type)))
      return { note: "its reply contains more than status and response" };
  }
  return { reply: parsed.value };
}
