/** What somebody said in a thread, and what it is called in a line of a notice. Pure. */
import { plainText } from "../mess/wire/content.ts";
import type { MessageDocument } from "../mess/envelope.ts";
import { isMap, type Json } from "../mess/json.ts";
import { blocksOf } from "../mess/wire/message.ts";
import type { Block } from "../mess/wire/schema.ts";
import { EXCHANGE } from "../mess/thread/policy.ts";
import type { Happening } from "./delivery.ts";

/** Characters of what was said that are kept for a notice. */
const MOST = 1_000;

/** One happening for each block that speaks to somebody: answers, confirmations, verdicts, cancels, followups. */
export function saidIn({ from, MESS }: MessageDocument): Happening[] {
  if (from === EXCHANGE) return [];
  return blocksOf(MESS).flatMap((block) => {
    const said = wordsOf(block);
    return said ? [{ by: from, ...said, ...(said.text ? { text: cut(said.text) } : {}) }] : [];
  });
}

export const cut = (text: string): string =>
  text.length > MOST ? `${text.slice(0, MOST - 1)}…` : text;

function wordsOf({ type, body }: Block): Happening | undefined {
  switch (type) {
    case "answer":
      return { what: "answered", text: valueText(body.value) };
    case "reply": {
      const { confirm, accept, reason, answers, context } = body;
      const more = context === undefined ? "" : plainText(context);
      if (answers !== undefined)
        return { what: "answered", text: joined([valueText(answers), more]) };
      if (confirm !== undefined)
        return {
          what: confirm ? "confirmed" : "not_confirmed",
          text: joined([reason ?? "", more]),
        };
      if (accept !== undefined)
        return { what: accept ? "accepted" : "rejected", text: joined([reason ?? "", more]) };
      return more === "" ? undefined : { what: "said", text: more };
    }
    case "cancel":
      return { what: "cancelled", text: body.reason ?? "" };
    case "followup":
      return {
        what: "said",
        text: joined([
          body.message ?? "",
          body.context === undefined ? "" : plainText(body.context),
        ]),
      };
    default:
      return undefined;
  }
}

const joined = (parts: readonly string[]): string => parts.filter((part) => part !== "").join("\n");

/** `kitchen`, or `area: kitchen, when: now`. */
function valueText(value: Json): string {
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (!isMap(value)) return value === null ? "" : String(value);
  const [only, ...others] = Object.entries(value);
  if (only !== undefined && others.length === 0) return valueText(only[1]);
  return Object.entries(value)
    .map(([key, one]) => `${key}: ${valueText(one)}`)
    .join(", ");
}

const SAYS: Readonly<Record<string, string>> = {
  answered: "the answer",
  replied: "answered",
  not_confirmed: "not confirmed",
  accepted: "the suggestion was accepted",
  rejected: "the suggestion was declined",
  released: "open to others again",
  superseded: "replaced by another request",
  needs_input: "a question is open",
  needs_confirmation: "waits for a confirmation",
  in_progress: "being worked on",
  pending: "open again",
  asked_to_confirm: "a confirmation is asked for",
  responded: "answered",
};

/** Statuses that are told with the member who reported them. */
const DONE_BY: readonly string[] = [
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

/** Told in words of their own. */
const IN_WORDS: readonly string[] = ["note", "ended", "unanswered"];

/**
 * The line of a notice: `claimed by Ann`, `the answer: kitchen`, `cancelled: found them`.
 * @param names what people call the members, by id
 */
export function wordsFor(happening: Happening, names: Readonly<Record<string, string>>): string {
  const { what, by } = happening;
  const text = OURS.includes(what) || by === EXCHANGE ? named(happening, names) : happening.text;
  if (IN_WORDS.includes(what)) return text ?? "";
  const who = by === undefined || by === EXCHANGE ? undefined : (names[by] ?? by);
  if (what === "unreachable") return unreachable(who ?? "", text ?? "");
  if (what === "said") return who === undefined ? (text ?? "") : `${who}: ${text ?? ""}`;
  const words = SAYS[what] ?? what.replaceAll("_", " ");
  const done = who !== undefined && DONE_BY.includes(what) ? `${words} by ${who}` : words;
  return text === undefined || text === "" ? done : `${done}: ${text}`;
}

/** Happenings whose text the exchange has written, as it writes its notes in the history: with ids. */
const OURS: readonly string[] = [...IN_WORDS, "unreachable", "delegated"];

/** What people call the members in place of their ids. What follows a colon may be somebody's own words, and stays. */
function named({ text }: Happening, names: Readonly<Record<string, string>>): string | undefined {
  if (text === undefined) return undefined;
  const end = text.includes(":") ? text.indexOf(":") : text.length;
  const ours = text
    .slice(0, end)
    .replaceAll(/[\w.-]+/g, (word) => (Object.hasOwn(names, word) ? names[word]! : word));
  return `${ours}${text.slice(end)}`;
}

/** The note in the history about a failed delivery. */
export const failureNote = (member: string, reason: string): string =>
  `${member} was not reached by ${reason}`;

/** Says who it was once: the history's note begins with the member too. */
function unreachable(who: string, text: string): string {
  const begun = failureNote(who, "");
  return text.startsWith(begun)
    ? `${who} cannot be reached by ${text.slice(begun.length)}`
    : `${who} cannot be reached: ${text}`;
}
