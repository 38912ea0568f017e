/**
 * Finds the request that a message certainly answers although it names none. Used where the household has a message
 * source for the channel, which gets every other message: a wrong guess would complete a task with somebody's mail.
 */
import type { InboundQuery } from "../../contracts/contacts.ts";
import { isSourceRequestor } from "../../mess/sources/request-origin.ts";
import type { Stores } from "../stores.ts";
import type { MessageTarget } from "./sent-messages.ts";

const HOUR_MS = 3_600_000;
/** For so long after the last message about a request, a text that is no keyword answers it. */
const ANSWER_WINDOW_MS = 24 * HOUR_MS;
/** An answer may arrive before the report that the offer was sent. */
const REPORT_DELAY_MS = 60_000;

/**
 * The only open request that the sender can mean: offered to it, held by it, or its own with a question to it. A keyword
 * such as `done` answers it at any time; a text, photo or place within a day of the last message about it, unless a
 * source asks for an approval by it. A question, and a message that replies to another one, answers nothing.
 * @param sender the member with the address; undefined where several people share it
 */
export function findCertainTarget(
  { sentMessages, expectedThreads }: Stores,
  { channel, handle, meaning, keyword }: InboundQuery,
  { identity, sender }: { identity: string; sender: string | undefined },
  now: number,
): MessageTarget | undefined {
  const isAnswer = keyword ?? meaning === "answer";
  if (!isAnswer || sender === undefined || handle !== undefined) return undefined;
  const open = expectedThreads.list(sender, 2);
  const [only] = open;
  if (!only || open.length > 1) return undefined;
  const { ref, opened, requestor } = only;
  // No text that names no request may approve a draft.
  if (isSourceRequestor(requestor)) return undefined;
  const sentAt = sentMessages.getLastTime(channel, identity, ref);
  if (sentAt === undefined)
    return now - opened <= REPORT_DELAY_MS ? { actor: sender, ref } : undefined;
  return keyword || now - sentAt <= ANSWER_WINDOW_MS ? { actor: sender, ref } : undefined;
}
