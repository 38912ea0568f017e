/**
 * Turns a chat event into the blocks of a MESS message. Pure. The meaning of a short text depends on the thread: `yes`
 * claims a thread that is free, and answers a question in one that is held.
 */
import { defined } from "../../mess/defined.ts";
import type { JsonMap } from "../../mess/json.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { BlockInput } from "../../mess/wire/schema.ts";
import type { Media } from "../../mess/wire/content/media.ts";
import { isFinal, type Status } from "../../mess/status.ts";
import type { InboundEvent } from "../chat-event.ts";
import { isQuestion, type ReplyKeyword, readKeyword } from "./reply-keywords.ts";

/** The text of the event, with its files stored. */
export interface ChatReply extends Pick<InboundEvent, "action" | "text" | "location"> {
  /** `token` names the file in the message. */
  readonly files: readonly { readonly kind: Media; readonly token: string }[];
}

/** The state of the thread, as it matters to the sender. */
export interface ReplyContext {
  readonly actor: string;
  readonly status: Status;
  /** The thread's holder. */
  readonly executor: string | null;
  readonly intent: string;
  /** The request asks an owner to decide: yes and no decide it, and nobody needs to claim it first. */
  readonly decides?: boolean;
  /** An answer was refused, because the action needs a confirmation first (decisions 20 and 21). */
  readonly needsConfirmation?: boolean;
}

type ThreadSide = "free" | "mine" | "taken" | "over";

function getSide({ actor, status, executor }: ReplyContext): ThreadSide {
  if (isFinal(status)) return "over";
  if (executor === null) return "free";
  return executor === actor ? "mine" : "taken";
}

/** The blocks in order; none for an empty event. */
export function buildReplyBlocks(chatReply: ChatReply, context: ReplyContext): BlockInput[] {
  const text = (chatReply.text ?? "").trim();
  const content = buildContent(chatReply, text);
  switch (chatReply.action) {
    case "claimed":
      return [
        buildStatus("claimed"),
        ...(content.length > 0 ? [buildFollowup(chatReply, text)] : []),
      ];
    // An executor's cancel is a decline (decision 35).
    case "cancel":
    case "declined":
      return [buildStatus("declined", text === "" ? {} : { reason: text })];
    case "completed":
      return [...(content.length > 0 ? [buildResponse(content)] : []), buildStatus("completed")];
    default:
      return content.length === 0 ? [] : interpretText(chatReply, text, content, context);
  }
}

/**
 * The kind of a text that names no thread: the end of the work, or an answer. Undefined for keywords that reply to an
 * offer, and for questions.
 */
export function classifyReply({
  action,
  text = "",
  location,
  files = [],
}: Pick<InboundEvent, "action" | "text" | "location"> & {
  readonly files?: readonly unknown[];
}): "done" | "answer" | undefined {
  if (action !== "message") return undefined;
  const keyword = readKeyword(text);
  if (keyword === "done") return "done";
  const isTextOnly = files.length === 0 && location === undefined;
  const isQuestionOrKeyword = text.trim() === "" || keyword !== undefined || isQuestion(text);
  return isTextOnly && isQuestionOrKeyword ? undefined : "answer";
}

/** The meaning of a keyword: a status, an answer, or a followup that changes nothing. */
type KeywordMeaning = "claimed" | "declined" | "completed" | "answer" | "aside";

/**
 * Meaning of each keyword by state. Where the request itself is a question (second column where there are two), yes, no
 * and numbers answer it: `Is the door locked?` is answered by `no`, which declines nothing.
 */
const KEYWORD_MEANINGS: Readonly<
  Record<
    ThreadSide,
    Readonly<Record<ReplyKeyword, KeywordMeaning | [KeywordMeaning, KeywordMeaning]>>
  >
> = {
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
  // Another member's thread is refused with the holder's name (decision 30); stepping back is accepted (decision 31).
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

const DECISIONS: Readonly<Record<ReplyKeyword, KeywordMeaning>> = {
  one: "completed",
  take: "completed",
  yes: "completed",
  done: "completed",
  zero: "declined",
  no: "declined",
  stop: "declined",
  cancel: "declined",
};

function interpretKeyword(
  text: string,
  side: ThreadSide,
  { intent, decides }: ReplyContext,
): KeywordMeaning | undefined {
  const keyword = readKeyword(text);
  if (keyword === undefined) return undefined;
  if (decides && (side === "free" || side === "mine")) return DECISIONS[keyword];
  const meaning = KEYWORD_MEANINGS[side][keyword];
  return typeof meaning === "string" ? meaning : meaning[isQuestion(intent) ? 1 : 0];
}

function interpretText(
  chatReply: ChatReply,
  text: string,
  content: JsonMap[],
  context: ReplyContext,
): BlockInput[] {
  const side = getSide(context);
  const meaning = interpretKeyword(text, side, context);
  const isSingleEntry = content.length === 1;
  // `done` with a photo is the answer and completes the thread; any other keyword with a photo is its caption.
  if (meaning === "completed" && !isSingleEntry && side !== "over")
    return [buildResponse(content.slice(1)), buildStatus("completed")];
  if (meaning !== undefined && isSingleEntry) {
    if (meaning === "aside") return [buildFollowup(chatReply, text)];
    return meaning === "answer" ? [buildResponse(content)] : [buildStatus(meaning)];
  }
  if (context.needsConfirmation) return buildConfirmationBlocks(chatReply, text, context);
  const isOpen = (side === "free" || side === "mine") && context.status !== "partial";
  if (isOpen && isQuestion(text) && text.length <= LIMITS.intentChars)
    return [
      buildStatus("needs_input", { questions: [{ question: text }] }),
      ...(isSingleEntry ? [] : [buildFollowup(chatReply, "")]),
    ];
  // An ended thread still accepts additions of its holder (decision 27).
  const answers = isOpen || context.executor === context.actor;
  return [answers ? buildResponse(content) : buildFollowup(chatReply, text)];
}

/** In a thread that needs a confirmation first, a text proposes the action; after that it adds to the proposal. */
function buildConfirmationBlocks(
  chatReply: ChatReply,
  text: string,
  { status: now }: ReplyContext,
): BlockInput[] {
  if (now === "needs_confirmation" || text === "") return [buildFollowup(chatReply, text)];
  const question = buildStatus("needs_confirmation", { action: cutAction(text) });
  return [
    question,
    ...(chatReply.files.length > 0 || chatReply.location ? [buildFollowup(chatReply, "")] : []),
  ];
}

/** Cuts to the longest action, never inside a character. */
const cutAction = (text: string): string =>
  text.slice(0, LIMITS.intentChars).replace(/[\uD800-\uDBFF]$/, "");

type StatusFields = Omit<Extract<BlockInput, { type: "status" }>["body"], "code">;

export const buildStatus = (code: string, fields: StatusFields = {}): BlockInput => ({
  type: "status",
  body: { code, ...fields },
});

const buildResponse = (content: JsonMap[]): BlockInput => ({ type: "response", body: { content } });

export function buildFollowup(chatReply: ChatReply, text: string): BlockInput {
  const context = buildContent(chatReply, "");
  return {
    type: "followup",
    body: {
      ...(text === "" ? {} : { message: text }),
      ...(context.length > 0 ? { context } : {}),
    },
  };
}

/** Content entries: the text, then the files, then the location. */
export const buildContent = ({ files, location }: ChatReply, text: string): JsonMap[] => [
  ...(text === "" ? [] : [{ text }]),
  ...files.map(({ kind, token }) => ({ [kind]: { file: token } })),
  ...(location === undefined ? [] : [{ location: toLocation(location) }]),
];

const toLocation = ({
  latitude,
  longitude,
  name,
}: NonNullable<ChatReply["location"]>): JsonMap => ({
  lat: latitude,
  lng: longitude,
  ...defined({ name }),
});
