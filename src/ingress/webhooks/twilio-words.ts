/** What is said back to a phone: one short sentence, as TwiML. */
import type { Heard } from "./inbound.ts";
import { named, receiptWords, shortIntent } from "./refusal-words.ts";
import { shortWordOf } from "./vocabulary.ts";

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
  if (heard.holds && word !== undefined && TAKES.includes(word) && TAKEN.includes(status))
    return `Taken: ${shortIntent(heard.intent)}. Send a photo or words as the answer, then DONE.`;
  const no = (word === "zero" || word === "no") && !TAKEN.includes(status);
  const act = no ? "declined" : word === "done" ? "completed" : "say";
  return named(receiptWords({ ...heard, again: false }, act), heard.intent);
}
