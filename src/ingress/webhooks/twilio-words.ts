/** What is said back to a phone: one short sentence, as TwiML. */
import type { Heard } from "./inbound.ts";
import { receiptWords } from "./refusal-words.ts";
import { shortWordOf } from "./vocabulary.ts";

/** Characters of an intent, so that the sentence is one SMS. */
const INTENT = 60;

export const NO_TASK = "No task is open for you at the moment.";

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** The answer to Twilio; without words nothing is sent. */
export function twiml(words?: string): Response {
  const text = (words ?? "").replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
  const message = text === "" ? "" : `<Message>${text}</Message>`;
  return new Response(`<?xml version="1.0" encoding="UTF-8"?><Response>${message}</Response>`, {
    headers: { "Content-Type": "text/xml; charset=utf-8" },
  });
}

const TAKES = ["one", "take", "yes"];
const TAKEN = ["claimed", "in_progress"];

/** What came of an SMS. The same for one that comes again: the first answer may never have reached the phone. */
export function smsReceipt(heard: Heard, text: string): string {
  const { status } = heard;
  const word = shortWordOf(text);
  const characters = Array.from(heard.intent.replaceAll(/\s+/g, " ").replaceAll(/\p{Cc}/gu, ""));
  const intent =
    characters.length > INTENT
      ? `${characters
          .slice(0, INTENT - 3)
          .join("")
          .trimEnd()}...`
      : characters.join("");
  if (word !== undefined && TAKES.includes(word) && TAKEN.includes(status))
    return `Taken: ${intent}. Send a photo or words as the answer, then DONE.`;
  if ((word === "zero" || word === "no") && !TAKEN.includes(status))
    return receiptWords({ ...heard, again: false }, "declined");
  return receiptWords({ ...heard, again: false }, word === "done" ? "completed" : "say");
}
