/** Formats a notice as plain text. Hidden characters and line breaks are removed from text of agents. */
import { cutLine } from "../../mess/one-line.ts";
import { isFinal, type Status } from "../../mess/status.ts";
import type { Notice } from "../channel.ts";
import { isolate, isolateEvent } from "./text-direction.ts";

/** Control, bidi, zero-width and tag characters, except the joiner of emoji. */
const HIDDEN_PATTERN = /(?!\u200D)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** The text without hidden characters, in one line of at most `maxChars` characters (code points). */
export function toNoticeLine(text: string, maxChars: number): string {
  return cutLine(text.replaceAll(/\s+/g, " ").replaceAll(HIDDEN_PATTERN, "").trim(), maxChars);
}

/** The line of an event, whose names and texts keep their own direction. */
export const toEventLine = (eventText: string, maxChars: number): string =>
  isolateEvent(toNoticeLine(eventText, maxChars));

const MAX_LINE_CHARS = 500;

/** The headline: `Still open: check the fridge`. */
export function buildHeadline(notice: Notice): string {
  const intent = toNoticeLine(notice.intent, MAX_LINE_CHARS);
  const news =
    notice.eventText === undefined
      ? undefined
      : capitalize(toEventLine(notice.eventText, MAX_LINE_CHARS));
  if (notice.kind === "offer")
    return notice.priority === "urgent" ? `Urgent: ${isolate(intent)}` : intent;
  if (notice.kind === "reminder")
    return `${notice.isHolder ? "Still yours" : "Still open"}: ${isolate(intent)}`;
  if (notice.kind === "update") return intent;
  return news ?? `${formatStatus(notice.status)}: ${isolate(intent)}`;
}

/** The lines below: the event, the request's context, its deadline, its holder. */
export function buildDetails(notice: Notice): string[] {
  const { kind, eventText: news, intent, context, expires } = notice;
  const isEvent = kind === "news" || kind === "alert";
  return [
    ...(isEvent && news !== undefined
      ? [`About: ${isolate(toNoticeLine(intent, MAX_LINE_CHARS))}`]
      : []),
    ...(kind === "update"
      ? [
          capitalize(
            news === undefined ? describeStatus(notice) : toEventLine(news, MAX_LINE_CHARS),
          ),
        ]
      : []),
    ...(kind === "reminder" && news !== undefined
      ? [capitalize(toEventLine(news, MAX_LINE_CHARS))]
      : []),
    ...(isEvent ? [] : context.map((line) => toNoticeLine(line, MAX_LINE_CHARS))),
    ...(expires === undefined || kind === "news" ? [] : [`Needed by ${formatClock(expires)}`]),
    ...(kind === "alert" ? [describeCurrentHolder(notice)] : []),
  ].filter((line) => line !== "");
}

/** The holder of the thread of an alert, or its final status; empty while no member holds it. */
function describeCurrentHolder({ eventText: news, status, holder, isHolder }: Notice): string {
  if (isFinal(status as Status)) return news === undefined ? "" : `${formatStatus(status)}.`;
  if (isHolder) return "You have it.";
  return holder === null ? "" : `${isolate(toNoticeLine(holder, 80))} is on it.`;
}

/** True for an update to the requestor: only requestors may review the result. */
export const isForRequestor = ({ kind, actions }: Notice): boolean =>
  kind === "news" && actions.includes("review");

/** `2031-04-05 17:00`, in the household's time zone. */
const formatClock = (time: string): string => time.slice(0, 16).replace("T", " ");

export const formatStatus = (status: string): string => capitalize(status.replaceAll("_", " "));

/** `Claimed by Ann`: the status, for a notice without an event. */
const describeStatus = ({ status, holder, isHolder }: Notice): string =>
  `${formatStatus(status)}${holder === null || isHolder ? "" : ` by ${isolate(toNoticeLine(holder, 80))}`}`;

const capitalize = (text: string): string => {
  const [first = "", ...others] = Array.from(text);
  return first.toLocaleUpperCase("en") + others.join("");
};

/** The reply that the requestor is asked for. */
const OPEN_ITEM_TEXTS: Readonly<Record<string, string>> = {
  needs_input: "with the answer",
  needs_confirmation: "YES or NO",
};

const DECISION_HINTS: Readonly<Record<NonNullable<Notice["decision"]>, string>> = {
  send: "Open the link to send it. Reply 0 to leave it.",
  read: "Reply 1 when you have read it.",
};

/** How to reply by text, for channels without buttons; empty if no reply is expected. */
export function buildAnswerHint({ kind, actions, isHolder, status, decision }: Notice): string {
  // An ended thread still accepts messages, but expects none.
  if (isFinal(status as Status)) return "";
  if (decision && kind !== "alert") return DECISION_HINTS[decision];
  const isAllowed = (action: Notice["actions"][number]): boolean => actions.includes(action);
  // Only requestors, and owners in their place, may cancel.
  if (!isHolder && isAllowed("cancel")) {
    const openItemText = OPEN_ITEM_TEXTS[status];
    if (kind !== "alert") return openItemText === undefined ? "" : `Reply ${openItemText}.`;
    const first = isAllowed("claimed") ? "1 to take it" : openItemText;
    return `Reply ${first === undefined ? "" : `${first}, `}CALL OFF to cancel it, or a message to forward.`;
  }
  if (isHolder && isAllowed("completed")) return "Reply with the answer, or DONE.";
  if (isAllowed("claimed"))
    return isAllowed("declined") ? "Reply 1 to take it, 0 to decline." : "Reply 1 to take it.";
  return isAllowed("response") ? "Reply with the answer." : "";
}
