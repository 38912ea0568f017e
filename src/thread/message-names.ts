/** Finds messages of a thread by their names, whose slug may be left out (decision 4). */
import type { MessageDocument } from "../mess/envelope.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import type { ThreadLog } from "./thread-log.ts";

export interface FoundMessage {
  /** The full name. */
  name: string;
  serial: number;
  /** The message and its acks. */
  documents: MessageDocument[];
}

export function findMessage(log: ThreadLog, given: string): Outcome<FoundMessage> {
  const serial = /^[a-z]+-(\d{3,})(?:-|$)/.exec(given)?.[1];
  const { name = null, documents = [] } =
    (serial === undefined ? undefined : log.findMessage(Number(serial))) ?? {};
  if (name !== null && (name === given || name.startsWith(`${given}-`)))
    return ok({ name, serial: Number(serial), documents });
  return refuse(
    "not_found",
    "message not found in this thread",
    "Use the ref from the message's ack.",
  );
}

/** Returns the full name of the message in a `re`, if it names one. */
export function resolveMessageName(
  log: ThreadLog,
  given: string | undefined,
): Outcome<string | undefined> {
  if (given === undefined) return ok(undefined);
  const found = findMessage(log, given);
  return found.ok ? ok(found.value.name) : found;
}
