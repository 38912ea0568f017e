/** A notice in plain words, for channels that carry text. What agents wrote stays text: nothing hidden, one line each. */
import { isFinal, type Status } from "../../mess/status.ts";
import type { Notice } from "../channel.ts";

/** Control, bidi, zero-width and tag characters; the joiner of emoji is let through. */
const HIDDEN_PATTERN = /(?!\u200D)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** One line of at most `maxChars` characters, as a reader counts them. */
export function toOneLine(text: string, maxChars: number): string {
  const flat = text.replaceAll(/\s+/g, " ").replaceAll(HIDDEN_PATTERN, "").trim();
  const characters = Array.from(flat);
  return characters.length <= maxChars ? flat : `${characters.slice(0, maxChars - 1).join("")}…`;
}

const MAX_LINE_CHARS = 500;

/** What this is about, in one line: `Still open: check the fridge`. */
export function buildHeadline(notice: Notice): string {
  const intent = toOneLine(notice.intent, MAX_LINE_CHARS);
  const news =
    notice.eventText === undefined
      ? undefined
      : capitalize(toOneLine(notice.eventText, MAX_LINE_CHARS));
  if (notice.kind === "offer") return notice.priority === "urgent" ? `Urgent: ${intent}` : intent;
  if (notice.kind === "reminder")
    return `${notice.isHolder ? "Still yours" : "Still open"}: ${intent}`;
  if (notice.kind === "update") return intent;
  return news ?? `${formatStatus(notice.status)}: ${intent}`;
}

/** The rest of it: what happened, the request's context, its time, who holds it. */
export function buildDetails(notice: Notice): string[] {
  const { kind, eventText: news, intent, context, expires } = notice;
  const isEvent = kind === "news" || kind === "alert";
  return [
    ...(isEvent && news !== undefined ? [`About: ${toOneLine(intent, MAX_LINE_CHARS)}`] : []),
    ...(kind === "update"
      ? [capitalize(toOneLine(news ?? describeStatus(notice), MAX_LINE_CHARS))]
      : []),
    ...(kind === "reminder" && news !== undefined
      ? [capitalize(toOneLine(news, MAX_LINE_CHARS))]
      : []),
    ...(isEvent ? [] : context.map((line) => toOneLine(line, MAX_LINE_CHARS))),
    ...(expires === undefined || kind === "news" ? [] : [`Needed by ${formatClock(expires)}`]),
    ...(kind === "alert" ? [describeCurrentHolder(notice)] : []),
  ].filter((line) => line !== "");
}

/** Who has what an alert is about, or how that ended; nothing where nobody has it. */
function describeCurrentHolder({ eventText: news, status, holder, isHolder }: Notice): string {
  if (isFinal(status as Status)) return news === undefined ? "" : `${formatStatus(status)}.`;
  if (isHolder) return "You have it.";
  return holder === null ? "" : `${toOneLine(holder, 80)} has it.`;
}

/** News for who asked for it all: nobody else who is told news may judge how it was done. */
export const isForRequestor = ({ kind, actions }: Notice): boolean =>
  kind === "news" && actions.includes("review");

/** `2031-04-05 17:00`, on the household's own clock. */
const formatClock = (time: string): string => time.slice(0, 16).replace("T", " ");

export const formatStatus = (status: string): string => capitalize(status.replaceAll("_", " "));

/** `Claimed by Ann`: where it stands, for who was not told what happened. */
const describeStatus = ({ status, holder, isHolder }: Notice): string =>
  `${formatStatus(status)}${holder === null || isHolder ? "" : ` by ${toOneLine(holder, 80)}`}`;

const capitalize = (text: string): string => {
  const [first = "", ...others] = Array.from(text);
  return first.toLocaleUpperCase("en") + others.join("");
};

/** What those who asked are asked for. */
const OPEN_ITEM_TEXTS: Readonly<Record<string, string>> = {
  needs_input: "with the answer",
  needs_confirmation: "YES or NO",
};

/** How a member without buttons answers in words; empty where there is nothing to answer. */
export function buildAnswerHint({ kind, actions, isHolder, status }: Notice): string {
  // An ended thread still takes answers, but nobody waits for one.
  if (isFinal(status as Status)) return "";
  const may = (action: Notice["actions"][number]): boolean => actions.includes(action);
  // Only those who asked, and owners in their place, may cancel.
  if (!isHolder && may("cancel")) {
    const openItemText = OPEN_ITEM_TEXTS[status];
    if (kind !== "alert") return openItemText === undefined ? "" : `Reply ${openItemText}.`;
    const first = may("claimed") ? "1 to take it" : openItemText;
    return `Reply ${first === undefined ? "" : `${first}, `}CALL OFF to cancel it, or words to pass on.`;
  }
  if (isHolder && may("completed")) return "Reply with the answer, or DONE.";
  if (may("claimed"))
    return may("declined") ? "Reply 1 to take it, 0 to decline." : "Reply 1 to take it.";
  return may("response") ? "Reply with the answer." : "";
}
