/** What came of words that named no task: one sentence that says which it was. */
import type { ReceiveResult } from "../chat-event.ts";
import { getReceiptText } from "./reply-texts.ts";
import { readKeyword } from "./reply-keywords.ts";

/** Characters of an intent, so that the sentence is one SMS. */
const MAX_INTENT_CHARS = 60;

const ACCEPTING_KEYWORDS = ["one", "take", "yes"];
const WORKING_STATUSES = ["claimed", "in_progress"];

/**
 * `Done: look for the keys. Thank you!` The same for words that come again: the first answer may never have reached
 * their sender.
 */
export function buildGuessedTaskReceipt(result: ReceiveResult, text: string): string {
  const { status, holdsThread: holds, asRequestor } = result;
  const intent = shortenIntent(result.intent);
  const word = readKeyword(text);
  if (
    holds &&
    word !== undefined &&
    ACCEPTING_KEYWORDS.includes(word) &&
    WORKING_STATUSES.includes(status)
  )
    return `Taken: ${intent}. Send a photo or words as the answer, then DONE.`;
  const isNo = word === "zero" || word === "no";
  // Who asked may only have said that it is not to be done so.
  const leaves = isNo && (asRequestor ? status === "pending" : !WORKING_STATUSES.includes(status));
  const action = leaves ? "declined" : word === "done" ? "completed" : "message";
  const receipt = getReceiptText({ ...result, isDuplicate: false }, action);
  return receipt.replace(/[.!]/, (end) => `: ${intent}${end}`);
}

/** One line, and no more of it than has room. */
function shortenIntent(intent: string): string {
  const characters = Array.from(intent.replaceAll(/\s+/g, " ").replaceAll(/\p{Cc}/gu, ""));
  if (characters.length <= MAX_INTENT_CHARS) return characters.join("");
  const start = characters.slice(0, MAX_INTENT_CHARS - 3).join("");
  return `${start.trimEnd()}...`;
}
