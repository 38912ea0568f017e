/** Short excerpts of messages and the lines that notices show for them. Pure. */
import { toPlainText } from "../mess/wire/content/content.ts";
import type { MessageDocument } from "../mess/envelope.ts";
import { isMap, type Json } from "../mess/json.ts";
import { readBlocks } from "../mess/wire/message.ts";
import type { Block } from "../mess/wire/schema.ts";
import { EXCHANGE } from "../mess/thread/policy.ts";
import { listEntryLines } from "../mess/groups/request-news.ts";
import { GROUP_LIMITS } from "../mess/groups/vocabulary.ts";
import type { Entry } from "../mess/wire/content/entries.ts";
import type { NoticeEvent } from "./delivery.ts";

/** Longest excerpt in a notice. */
const MAX_EXCERPT_CHARS = 1_000;

/** Leaves room for the words around the text in a message of a group. */
const MAX_WHOLE_CHARS = GROUP_LIMITS.contentChars - 500;

/** How much of a message a notice shows. */
interface Detail {
  maxChars: number;
  writeContext: (entries: readonly Entry[]) => string;
}

const EXCERPT: Detail = { maxChars: MAX_EXCERPT_CHARS, writeContext: toPlainText };
/** With the addresses of files, for a member that cannot open the thread. */
const WHOLE: Detail = {
  maxChars: MAX_WHOLE_CHARS,
  writeContext: (entries) => listEntryLines(entries).join("\n"),
};

/**
 * One event for each block that addresses somebody: answers, confirmations, verdicts, cancels, followups.
 * @param isWhole not only an excerpt
 */
export function extractEvents({ from, MESS }: MessageDocument, isWhole = false): NoticeEvent[] {
  if (from === EXCHANGE) return [];
  const detail = isWhole ? WHOLE : EXCERPT;
  return readBlocks(MESS).flatMap((block) => {
    const event = toEvent(block, detail);
    return event
      ? [{ by: from, ...event, ...(event.text ? { text: cut(event.text, detail.maxChars) } : {}) }]
      : [];
  });
}

const cut = (text: string, maxChars: number): string =>
  text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;

export const cutExcerpt = (text: string): string => cut(text, MAX_EXCERPT_CHARS);

function toEvent({ type, body }: Block, { writeContext }: Detail): NoticeEvent | undefined {
  switch (type) {
    case "answer":
      return { what: "answered", text: formatValue(body.value) };
    case "reply": {
      const { confirm, accept, reason, answers, context } = body;
      const more = context === undefined ? "" : writeContext(context);
      if (answers !== undefined)
        return { what: "answered", text: joinLines([formatValue(answers), more]) };
      if (confirm !== undefined)
        return {
          what: confirm ? "confirmed" : "not_confirmed",
          text: joinLines([reason ?? "", more]),
        };
      if (accept !== undefined)
        return { what: accept ? "accepted" : "rejected", text: joinLines([reason ?? "", more]) };
      return more === "" ? undefined : { what: "said", text: more };
    }
    case "cancel":
      return { what: "cancelled", text: body.reason ?? "" };
    case "followup":
      return {
        what: "said",
        text: joinLines([
          body.message ?? "",
          body.context === undefined ? "" : writeContext(body.context),
        ]),
      };
    default:
      return undefined;
  }
}

const joinLines = (parts: readonly string[]): string =>
  parts.filter((part) => part !== "").join("\n");

/** `kitchen`, or `area: kitchen, when: now`. */
function formatValue(value: Json): string {
  if (Array.isArray(value)) return value.map(formatValue).join(", ");
  if (!isMap(value)) return value === null ? "" : String(value);
  const [onlyPair, ...others] = Object.entries(value);
  if (onlyPair !== undefined && others.length === 0) return formatValue(onlyPair[1]);
  return Object.entries(value)
    .map(([key, one]) => `${key}: ${formatValue(one)}`)
    .join(", ");
}

const EVENT_LABELS: Readonly<Record<string, string>> = {
  answered: "the answer",
  replied: "answered",
  not_confirmed: "not confirmed",
  accepted: "the suggestion was accepted",
  rejected: "the suggestion was declined",
  released: "open to others again",
  superseded: "replaced by another request",
  needs_input: "there is a question",
  needs_confirmation: "waiting for confirmation",
  in_progress: "in progress",
  pending: "open again",
  asked_to_confirm: "asks for confirmation",
  responded: "answered",
};

/** Statuses that are shown with the member who reported them. */
const STATUSES_WITH_MEMBER: readonly string[] = [
  "claimed",
  "in_progress",
  "completed",
  "partial",
  "declined",
  "delegated",
  "failed",
  "asked",
  "asked_to_confirm",
  "suggested",
  "responded",
];

/** Events with a text of their own. */
const FREE_TEXT_EVENTS: readonly string[] = ["note", "ended", "unanswered", "new_link"];

/**
 * The line of a notice: `claimed by Ann`, `the answer: kitchen`, `cancelled: found them`.
 * @param names display names of members, by id
 */
export function formatEvent(event: NoticeEvent, names: Readonly<Record<string, string>>): string {
  const { what, by } = event;
  const text =
    EXCHANGE_TEXT_EVENTS.includes(what) || by === EXCHANGE ? replaceIds(event, names) : event.text;
  if (FREE_TEXT_EVENTS.includes(what)) return text ?? "";
  const name = by === undefined || by === EXCHANGE ? undefined : (names[by] ?? by);
  if (what === "unreachable") return formatUnreachable(name ?? "", text ?? "");
  if (what === "said") return name === undefined ? (text ?? "") : `${name}: ${text ?? ""}`;
  const label = EVENT_LABELS[what] ?? what.replaceAll("_", " ");
  const done =
    name !== undefined && STATUSES_WITH_MEMBER.includes(what) ? `${label} by ${name}` : label;
  return text === undefined || text === "" ? done : `${done}: ${text}`;
}

/** Events whose text the exchange wrote, with member ids in it. */
const EXCHANGE_TEXT_EVENTS: readonly string[] = [...FREE_TEXT_EVENTS, "unreachable", "delegated"];

/** Replaces member ids by display names, but only before the first colon: a person's own text may follow it. */
function replaceIds(
  { text }: NoticeEvent,
  names: Readonly<Record<string, string>>,
): string | undefined {
  if (text === undefined) return undefined;
  const end = text.includes(":") ? text.indexOf(":") : text.length;
  const exchangeText = text
    .slice(0, end)
    .replaceAll(/[\w.-]+/g, (token) => (Object.hasOwn(names, token) ? names[token]! : token));
  return `${exchangeText}${text.slice(end)}`;
}

/** The history note about a failed delivery. */
export const buildFailureNote = (member: string, reason: string): string =>
  `${member} was not reached by ${reason}`;

/** Names the member once, although the history note begins with it too. */
function formatUnreachable(name: string, text: string): string {
  const begun = buildFailureNote(name, "");
  return text.startsWith(begun)
    ? `${name} cannot be reached by ${text.slice(begun.length)}`
    : `${name} cannot be reached: ${text}`;
}
