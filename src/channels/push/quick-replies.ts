/**
 * The replies that a notification offers as buttons: to a request that asks for exactly one yes or no, or for one of a
 * few options. A draft needs to be read first, so it has none.
 */
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { toNoticeLine } from "../shared/notice-text.ts";
import type { QuickReply } from "./payload.ts";

/** Platforms show two or three buttons; the browser drops replies that do not all fit. */
const MAX_REPLIES = 3;
const MAX_LABEL_CHARS = 40;

const YES_OR_NO: QuickReply[] = [
  { label: "yes", entry: { confirmation: true } },
  { label: "no", entry: { confirmation: false } },
];

export function buildQuickReplies({ response_hint, questions }: JsonMap): QuickReply[] {
  if (questions !== undefined || !Array.isArray(response_hint)) return [];
  const [hint, ...others] = response_hint.filter((one) => one !== "text");
  if (hint === undefined || others.length > 0) return [];
  if (hint === "confirmation") return YES_OR_NO;
  const [[word, details] = [], ...more] = isMap(hint) ? Object.entries(hint) : [];
  if (details === undefined || more.length > 0) return [];
  if (word === "confirmation") return typeof details === "string" ? YES_OR_NO : [];
  return word === "choice" ? buildChoice(details) : [];
}

function buildChoice(details: Json): QuickReply[] {
  const { field = "choice", options, ...rest } = isMap(details) ? details : { options: details };
  const isPlain = Object.keys(rest).every((key) => key === "question" || key === "required");
  if (!isPlain || typeof field !== "string" || !Array.isArray(options)) return [];
  const fits = options.every(
    (one) => typeof one === "string" && one !== "" && one.length <= MAX_LABEL_CHARS,
  );
  if (!fits || options.length < 2 || options.length > MAX_REPLIES) return [];
  return (options as string[]).map((text) => ({
    label: { text: toNoticeLine(text, MAX_LABEL_CHARS) },
    entry: { structured: { [field]: text } },
  }));
}
