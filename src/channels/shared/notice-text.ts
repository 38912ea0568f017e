/** A notice in plain words, for channels that carry text. What agents wrote stays text: nothing hidden, one line each. */
import { isFinal, type Status } from "../../mess/status.ts";
import type { Notice } from "../channel.ts";

/** Control, bidi, zero-width and tag characters; the joiner of emoji is let through. */
const HIDDEN = /(?!\u200D)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** One line of at most `most` characters, as a reader counts them. */
export function oneLine(text: string, most: number): string {
  const flat = text.replaceAll(/\s+/g, " ").replaceAll(HIDDEN, "").trim();
  const characters = Array.from(flat);
  return characters.length <= most ? flat : `${characters.slice(0, most - 1).join("")}…`;
}

const LINE = 500;

/** What this is about, in one line: `Still open: check the fridge`. */
export function headline(notice: Notice): string {
  const intent = oneLine(notice.intent, LINE);
  const news = notice.news === undefined ? undefined : sentence(oneLine(notice.news, LINE));
  if (notice.kind === "offer") return notice.priority === "urgent" ? `Urgent: ${intent}` : intent;
  if (notice.kind === "reminder") return `${notice.mine ? "Still yours" : "Still open"}: ${intent}`;
  if (notice.kind === "update") return intent;
  return news ?? `${statusWords(notice.status)}: ${intent}`;
}

/** The rest of it: what happened, the request's context, its time, who holds it. */
export function details(notice: Notice): string[] {
  const { kind, news, intent, context, expires } = notice;
  const told = kind === "news" || kind === "alert";
  return [
    ...(told && news !== undefined ? [`About: ${oneLine(intent, LINE)}`] : []),
    ...(kind === "update" ? [sentence(oneLine(news ?? standing(notice), LINE))] : []),
    ...(kind === "reminder" && news !== undefined ? [sentence(oneLine(news, LINE))] : []),
    ...(told ? [] : context.map((line) => oneLine(line, LINE))),
    ...(expires === undefined || kind === "news" ? [] : [`Needed by ${clock(expires)}`]),
    ...(kind === "alert" ? [nowOf(notice)] : []),
  ].filter((line) => line !== "");
}

/** Who has what an alert is about, or how that ended; nothing where nobody has it. */
function nowOf({ news, status, holder, mine }: Notice): string {
  if (isFinal(status as Status)) return news === undefined ? "" : `${statusWords(status)}.`;
  if (mine) return "You have it.";
  return holder === null ? "" : `${oneLine(holder, 80)} has it.`;
}

/** News for who asked for it all: nobody else who is told news may judge how it was done. */
export const isForAsker = ({ kind, actions }: Notice): boolean =>
  kind === "news" && actions.includes("review");

/** `2031-04-05 17:00`, on the household's own clock. */
const clock = (time: string): string => time.slice(0, 16).replace("T", " ");

export const statusWords = (status: string): string => sentence(status.replaceAll("_", " "));

/** `Claimed by Ann`: where it stands, for who was not told what happened. */
const standing = ({ status, holder, mine }: Notice): string =>
  `${statusWords(status)}${holder === null || mine ? "" : ` by ${oneLine(holder, 80)}`}`;

const sentence = (text: string): string => {
  const [first = "", ...rest] = Array.from(text);
  return first.toLocaleUpperCase("en") + rest.join("");
};

/** What those who asked are asked for. */
const OPEN: Readonly<Record<string, string>> = {
  needs_input: "with the answer",
  needs_confirmation: "YES or NO",
};

/** How a member without buttons answers in words; empty where there is nothing to answer. */
export function howToAnswer({ kind, actions, mine, status }: Notice): string {
  // An ended thread still takes answers, but nobody waits for one.
  if (isFinal(status as Status)) return "";
  const may = (action: Notice["actions"][number]): boolean => actions.includes(action);
  // Only those who asked, and owners in their place, may cancel.
  if (!mine && may("cancel")) {
    const open = OPEN[status];
    if (kind !== "alert") return open === undefined ? "" : `Reply ${open}.`;
    const first = may("claimed") ? "1 to take it" : open;
    return `Reply ${first === undefined ? "" : `${first}, `}CALL OFF to cancel it, or words to pass on.`;
  }
  if (mine && may("completed")) return "Reply with the answer, or DONE.";
  if (may("claimed"))
    return may("declined") ? "Reply 1 to take it, 0 to decline." : "Reply 1 to take it.";
  return may("response") ? "Reply with the answer." : "";
}
