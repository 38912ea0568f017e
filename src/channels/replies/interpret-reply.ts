/**
 * What somebody did in a channel, as the blocks of a MESS message. Pure. The same words mean different things in
 * different states: `yes` takes a thread that is free, and answers a question that somebody was asked.
 */
import type { JsonMap } from "../../mess/json.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { Media } from "../../mess/wire/media.ts";
import { isFinal, type Status } from "../../mess/status.ts";
import type { Inbound } from "../chat-event.ts";
import { isQuestion, type ShortWord, shortWordOf } from "./reply-keywords.ts";

/** What was said, its files stored already. */
export interface Said extends Pick<Inbound, "act" | "text" | "place"> {
  /** `token` names the file in the message. */
  readonly files: readonly { readonly kind: Media; readonly token: string }[];
}

/** Where the thread stands for whoever says it. */
export interface Standing {
  readonly actor: string;
  readonly status: Status;
  /** Who holds the thread. */
  readonly executor: string | null;
  readonly intent: string;
  /** An answer was refused: what is to be done must be confirmed first (decisions 20 and 21). */
  readonly unconfirmed?: boolean;
}

type Side = "free" | "mine" | "taken" | "over";

function sideOf({ actor, status, executor }: Standing): Side {
  if (isFinal(status)) return "over";
  if (executor === null) return "free";
  return executor === actor ? "mine" : "taken";
}

/** The message's blocks in order; none where nothing was said. */
export function blocksOf(said: Said, standing: Standing): JsonMap[] {
  const text = (said.text ?? "").trim();
  const content = contentOf(said, text);
  switch (said.act) {
    case "claimed":
      return [status("claimed"), ...(content.length > 0 ? [followup(said, text)] : [])];
    // An executor's cancel is a decline (decision 35).
    case "cancel":
    case "declined":
      return [status("declined", text === "" ? {} : { reason: text })];
    case "completed":
      return [...(content.length > 0 ? [{ response: { content } }] : []), status("completed")];
    default:
      return content.length === 0 ? [] : spoken(said, text, content, standing);
  }
}

/**
 * What was said where it names no thread: the end of the work, or an answer; undefined for words that an offer asks for,
 * and for questions.
 */
export function senseOf({
  act,
  text = "",
  place,
  files = [],
}: Pick<Inbound, "act" | "text" | "place" | "files">): "done" | "answer" | undefined {
  if (act !== "say") return undefined;
  const word = shortWordOf(text);
  if (word === "done") return "done";
  const alone = files.length === 0 && place === undefined;
  const asksOrTakes = text.trim() === "" || word !== undefined || isQuestion(text);
  return alone && asksOrTakes ? undefined : "answer";
}

/** What a short word comes to: a status, an answer, or words beside the work that change nothing. */
type Verdict = "claimed" | "declined" | "completed" | "answer" | "aside";

/**
 * Each short word by where the thread stands. Where the request itself is a question (second column where there are
 * two), yes, no and numbers are its answer: `Is the door locked?` is answered by `no`, which declines nothing.
 */
const VERDICTS: Readonly<Record<Side, Readonly<Record<ShortWord, Verdict | [Verdict, Verdict]>>>> =
  {
    free: {
      one: "claimed",
      zero: "declined",
      take: "claimed",
      yes: ["claimed", "answer"],
      done: "completed",
      no: ["declined", "answer"],
      stop: "declined",
      cancel: "declined",
    },
    mine: {
      one: ["aside", "answer"],
      zero: ["aside", "answer"],
      take: "aside",
      yes: ["aside", "answer"],
      done: "completed",
      no: ["aside", "answer"],
      stop: "declined",
      cancel: "declined",
    },
    // What another holds is refused with the holder's name (decision 30); who steps back is heard (decision 31).
    taken: {
      one: "claimed",
      zero: "declined",
      take: "claimed",
      yes: "claimed",
      done: "completed",
      no: "declined",
      stop: "declined",
      cancel: "declined",
    },
    over: {
      one: "aside",
      zero: "aside",
      take: "aside",
      yes: "aside",
      done: "completed",
      no: "aside",
      stop: "aside",
      cancel: "aside",
    },
  };

function verdictOf(text: string, side: Side, intent: string): Verdict | undefined {
  const word = shortWordOf(text);
  if (word === undefined) return undefined;
  const verdict = VERDICTS[side][word];
  return typeof verdict === "string" ? verdict : verdict[isQuestion(intent) ? 1 : 0];
}

function spoken(said: Said, text: string, content: JsonMap[], standing: Standing): JsonMap[] {
  const side = sideOf(standing);
  const verdict = verdictOf(text, side, standing.intent);
  const alone = content.length === 1;
  // `done` under a photo is the answer and its end; any other short word under a photo is its caption.
  if (verdict === "completed" && !alone && side !== "over")
    return [{ response: { content: content.slice(1) } }, status("completed")];
  if (verdict !== undefined && alone) {
    if (verdict === "aside") return [followup(said, text)];
    return verdict === "answer" ? [{ response: { content } }] : [status(verdict)];
  }
  if (standing.unconfirmed) return unconfirmed(said, text, standing);
  const open = (side === "free" || side === "mine") && standing.status !== "partial";
  if (open && isQuestion(text) && text.length <= LIMITS.intent)
    return [
      status("needs_input", { questions: [{ question: text }] }),
      ...(alone ? [] : [followup(said, "")]),
    ];
  // An ended thread still takes what its holder has to add (decision 27).
  const answers = open || standing.executor === standing.actor;
  return [answers ? { response: { content } } : followup(said, text)];
}

/** Words to a thread that must be confirmed first say what would be done; once that was asked, they add to it. */
function unconfirmed(said: Said, text: string, { status: now }: Standing): JsonMap[] {
  if (now === "needs_confirmation" || text === "") return [followup(said, text)];
  const ask = status("needs_confirmation", { action: cut(text) });
  return [ask, ...(said.files.length > 0 || said.place ? [followup(said, "")] : [])];
}

/** As long as an action may be, without half a sign at its end. */
const cut = (text: string): string => text.slice(0, LIMITS.intent).replace(/[\uD800-\uDBFF]$/, "");

export const status = (code: string, more: JsonMap = {}): JsonMap => ({
  status: { code, ...more },
});

export function followup(said: Said, text: string): JsonMap {
  const context = contentOf(said, "");
  return {
    followup: {
      ...(text === "" ? {} : { message: text }),
      ...(context.length > 0 ? { context } : {}),
    },
  };
}

/** The words first, then the files, then the place. */
export const contentOf = ({ files, place }: Said, text: string): JsonMap[] => [
  ...(text === "" ? [] : [{ text }]),
  ...files.map(({ kind, token }) => ({ [kind]: { file: token } })),
  ...(place === undefined ? [] : [{ location: locationOf(place) }]),
];

const locationOf = ({ latitude, longitude, name }: NonNullable<Said["place"]>): JsonMap => ({
  lat: latitude,
  lng: longitude,
  ...(name === undefined ? {} : { name }),
});
