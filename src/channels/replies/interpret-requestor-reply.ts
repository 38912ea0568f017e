/**
 * What those say in a channel who asked for a thread, or who own the household and were alerted about it. Pure. Their
 * words answer what is asked of them, or are passed on; none of them is the answer to the request itself.
 */
import type { JsonMap } from "../../mess/json.ts";
import {
  buildReplyBlocks,
  buildContent,
  buildFollowup,
  type ChatReply,
  type ReplyContext,
  buildStatus,
} from "./interpret-reply.ts";
import { type ReplyKeyword, readKeyword } from "./reply-keywords.ts";

export interface RequestorReplyContext extends ReplyContext {
  /** Owners stand beside every requestor; what nobody takes they may take themselves. */
  readonly owner: boolean;
  /** How many questions await them. */
  readonly questions: number;
}

/** The message's blocks in order; none where nothing was said. */
export function buildRequestorBlocks(
  chatReply: ChatReply,
  context: RequestorReplyContext,
): JsonMap[] {
  const { action } = chatReply;
  const text = (chatReply.text ?? "").trim();
  const content = buildContent(chatReply, "");
  const word = content.length === 0 ? readKeyword(text) : undefined;
  if (action === "cancel") return [buildCancel(text)];
  if (action !== "message") return buildReplyBlocks(chatReply, context);
  if (text === "" && content.length === 0) return [];
  if (word === "cancel") return [buildCancel("")];
  return (
    buildAnswer(text, word, content, context) ??
    buildOwnerStatus(word, context) ?? [buildFollowup(chatReply, text)]
  );
}

const buildCancel = (reason: string): JsonMap => ({ cancel: reason === "" ? {} : { reason } });

const YES_KEYWORDS: readonly (ReplyKeyword | undefined)[] = ["one", "take", "yes", "done"];
const NO_KEYWORDS: readonly (ReplyKeyword | undefined)[] = ["zero", "no", "stop"];

/** To the one open question, or to what is to be confirmed. */
function buildAnswer(
  text: string,
  word: ReplyKeyword | undefined,
  content: JsonMap[],
  { status: now, questions }: RequestorReplyContext,
): JsonMap[] | undefined {
  if (now === "needs_confirmation" && (YES_KEYWORDS.includes(word) || NO_KEYWORDS.includes(word)))
    return [{ reply: { confirm: YES_KEYWORDS.includes(word) } }];
  if (now !== "needs_input" || questions !== 1 || text === "") return undefined;
  return [{ reply: { answers: text, ...(content.length > 0 ? { context: content } : {}) } }];
}

/** What nobody has is an owner's to take, to be done with, or to let be. */
function buildOwnerStatus(
  word: ReplyKeyword | undefined,
  { owner, executor }: RequestorReplyContext,
): JsonMap[] | undefined {
  if (!owner || word === undefined) return undefined;
  if (word === "done") return [buildStatus("completed")];
  if (YES_KEYWORDS.includes(word)) return [buildStatus("claimed")];
  return NO_KEYWORDS.includes(word) && executor === null ? [buildStatus("declined")] : undefined;
}
