/**
 * Turns a chat event of a requestor, or of an owner that was alerted, into blocks. Pure. Their texts answer what they
 * are asked, or are forwarded; they never answer the request itself.
 */
import type { JsonMap } from "../../mess/json.ts";
import type { BlockInput } from "../../mess/wire/schema.ts";
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
  /** Owners may act for every requestor, and may take a thread that nobody holds. */
  readonly owner: boolean;
  /** Number of open questions to them. */
  readonly questions: number;
}

/** The blocks in order; none for an empty event. */
export function buildRequestorBlocks(
  chatReply: ChatReply,
  context: RequestorReplyContext,
): BlockInput[] {
  const { action } = chatReply;
  const text = (chatReply.text ?? "").trim();
  const content = buildContent(chatReply, "");
  const keyword = content.length === 0 ? readKeyword(text) : undefined;
  if (action === "cancel") return [buildCancel(text)];
  if (action !== "message") return buildReplyBlocks(chatReply, context);
  if (text === "" && content.length === 0) return [];
  if (keyword === "cancel") return [buildCancel("")];
  return (
    buildAnswer(text, keyword, content, context) ??
    buildOwnerStatus(keyword, context) ?? [buildFollowup(chatReply, text)]
  );
}

const buildCancel = (reason: string): BlockInput => ({
  type: "cancel",
  body: reason === "" ? {} : { reason },
});

const YES_KEYWORDS: readonly (ReplyKeyword | undefined)[] = ["one", "take", "yes", "done"];
const NO_KEYWORDS: readonly (ReplyKeyword | undefined)[] = ["zero", "no", "stop"];

/** Answers the only open question, or the open confirmation. */
function buildAnswer(
  text: string,
  keyword: ReplyKeyword | undefined,
  content: JsonMap[],
  { status: now, questions }: RequestorReplyContext,
): BlockInput[] | undefined {
  if (
    now === "needs_confirmation" &&
    (YES_KEYWORDS.includes(keyword) || NO_KEYWORDS.includes(keyword))
  )
    return [{ type: "reply", body: { confirm: YES_KEYWORDS.includes(keyword) } }];
  if (now !== "needs_input" || questions !== 1 || text === "") return undefined;
  return [
    {
      type: "reply",
      body: { answers: text, ...(content.length > 0 ? { context: content } : {}) },
    },
  ];
}

/** An owner may claim, complete or ignore a thread that nobody holds. */
function buildOwnerStatus(
  keyword: ReplyKeyword | undefined,
  { owner, executor }: RequestorReplyContext,
): BlockInput[] | undefined {
  if (!owner || keyword === undefined) return undefined;
  if (keyword === "done") return [buildStatus("completed")];
  if (YES_KEYWORDS.includes(keyword)) return [buildStatus("claimed")];
  return NO_KEYWORDS.includes(keyword) && executor === null ? [buildStatus("declined")] : undefined;
}
