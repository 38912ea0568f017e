/** What came of words that named no task: one sentence that says which it was. */
import type { Heard } from "../chat-event.ts";
import { receiptWords } from "./reply-texts.ts";
import { shortWordOf } from "./reply-keywords.ts";

/** Characters of an intent, so that the sentence is one SMS. */
const INTENT = 60;

const TAKES = ["one", "take", "yes"];
const TAKEN = ["claimed", "in_progress"];

/**
 * `Done: look for the keys. Thank you!` The same for words that come again: the first answer may never have reached
 * their sender.
 */
export function spokenReceipt(heard: Heard, text: string): string {
  const { status, holds, asks } = heard;
  const intent = shortIntent(heard.intent);
  const word = shortWordOf(text);
  if (holds && word !== undefined && TAKES.includes(word) && TAKEN.includes(status))
    return `Taken: ${intent}. Send a photo or words as the answer, then DONE.`;
  const no = word === "zero" || word === "no";
  // Who asked may only have said that it is not to be done so.
  const leaves = no && (asks ? status === "pending" : !TAKEN.includes(status));
  const act = leaves ? "declined" : word === "done" ? "completed" : "say";
  const words = receiptWords({ ...heard, again: false }, act);
  return words.replace(/[.!]/, (end) => `: ${intent}${end}`);
}

/** One line, and no more of it than has room. */
function shortIntent(intent: string): string {
  const characters = Array.from(intent.replaceAll(/\s+/g, " ").replaceAll(/\p{Cc}/gu, ""));
  if (characters.length <= INTENT) return characters.join("");
  const start = characters.slice(0, INTENT - 3).join("");
  return `${start.trimEnd()}...`;
}
