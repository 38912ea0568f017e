/** The receipt for a text that named no task: one sentence that says which task it was applied to. */
import type { ReceiveResult } from "../chat-event.ts";
import { isolate } from "../shared/text-direction.ts";
import { getReceiptText } from "./reply-texts.ts";
import { readKeyword } from "./reply-keywords.ts";

/** Longest intent, so that the sentence fits one SMS. */
const MAX_INTENT_CHARS = 60;

const ACCEPTING_KEYWORDS = ["one", "take", "yes"];
const WORKING_STATUSES = ["claimed", "in_progress"];

/**
 * `Done: look for the keys. Thank you!` A repeated event gets the same receipt, because the first one may have been lost.
 */
export function buildGuessedTaskReceipt(result: ReceiveResult, text: string): string {
  const { status, holdsThread: isHolder, asRequestor } = result;
  const intent = shortenIntent(result.intent);
  const keyword = readKeyword(text);
  if (
    isHolder &&
    keyword !== undefined &&
    ACCEPTING_KEYWORDS.includes(keyword) &&
    WORKING_STATUSES.includes(status)
  )
    return `Taken: ${isolate(intent)}. Send a photo or words as the answer, then DONE.`;
  const isNo = keyword === "zero" || keyword === "no";
  // The requestor may only have refused the confirmation.
  const isDeclining =
    isNo && (asRequestor ? status === "pending" : !WORKING_STATUSES.includes(status));
  const action = isDeclining ? "declined" : keyword === "done" ? "completed" : "message";
  const receipt = getReceiptText({ ...result, isDuplicate: false }, action);
  return receipt.replace(/[.!]/, (end) => `: ${isolate(intent)}${end}`);
}

/** The text in one line, cut to fit. */
function shortenIntent(intent: string): string {
  const characters = Array.from(intent.replaceAll(/\s+/g, " ").replaceAll(/\p{Cc}/gu, ""));
  if (characters.length <= MAX_INTENT_CHARS) return characters.join("");
  const start = characters.slice(0, MAX_INTENT_CHARS - 3).join("");
  return `${start.trimEnd()}...`;
}
