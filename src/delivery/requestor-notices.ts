/** News for a requestor that has a channel: questions, answers, messages of others, and the end. Pure. */
import { toPlainText } from "../mess/wire/content/content.ts";
import type { MessageDocument } from "../mess/envelope.ts";
import { readBlocks } from "../mess/wire/message.ts";
import type { Block, StatusUpdate } from "../mess/wire/schema.ts";
import { isFinal, type Status } from "../mess/status.ts";
import { EXCHANGE } from "../mess/thread/policy.ts";
import type { NoticeEvent } from "./delivery.ts";
import { cutExcerpt, extractEvents } from "./message-excerpts.ts";

/**
 * One event for everything in a change; undefined when the requestor needs no news, such as when a member takes the
 * thread, makes progress or releases it.
 * @param documents messages of others
 * @param status the status after the change
 */
export function buildRequestorEvent(
  documents: readonly MessageDocument[],
  status: Status,
): NoticeEvent | undefined {
  const all = documents.flatMap((document) => [
    ...readBlocks(document.MESS).flatMap((block) => buildBlockEvents(block, document.from, status)),
    ...extractEvents(document),
  ]);
  const end = all.findLast(({ what }) => what === status);
  // "Everybody declined" says more than the last decline.
  if (status === "declined" && end?.by === EXCHANGE) return end;
  // Other messages of the exchange only follow from a member's message.
  const byMembers = all.filter(({ by }) => by !== EXCHANGE);
  const [first] = byMembers.length > 0 ? byMembers : all;
  if (!first) return undefined;
  const texts = (byMembers.length > 0 ? byMembers : all).flatMap(({ text }) =>
    text ? [text] : [],
  );
  const text = cutExcerpt([...new Set(texts)].join("\n"));
  return { ...first, what: end?.what ?? first.what, text };
}

function buildBlockEvents(block: Block, by: string, status: Status): NoticeEvent[] {
  switch (block.type) {
    case "status":
      return buildStatusEvents(block.body, by, status);
    case "response":
      return [{ what: "responded", by, text: toPlainText(block.body.content ?? []) }];
    case "suggestion":
      return [{ what: "suggested", by, text: block.body.reason ?? "" }];
    case "followup":
      // Content that the exchange adds, such as the answer of a thread that this one has joined.
      return by === EXCHANGE ? [{ what: "said", by, text: block.body.message ?? "" }] : [];
    default:
      return [];
  }
}

function buildStatusEvents(update: StatusUpdate, by: string, status: Status): NoticeEvent[] {
  const { code, message, questions = [], action } = update;
  if (code === "needs_input") {
    const questionTexts = [message, ...questions.map(({ question }) => question)];
    return [{ what: "asked", by, text: joinLines(questionTexts) }];
  }
  if (code === "needs_confirmation")
    return [{ what: "asked_to_confirm", by, text: joinLines([action, message]) }];
  const ends = code === status && (isFinal(code) || code === "partial" || by === EXCHANGE);
  if (!ends || SILENT_STATUSES.includes(code)) return [];
  const reason = typeof update.reason === "string" ? update.reason : undefined;
  return [{ what: code, by, text: joinLines([message ?? reason]) }];
}

/** A status that the exchange reports: the thread is open again. */
const SILENT_STATUSES: readonly string[] = ["pending", "retrying"];

const joinLines = (parts: readonly (string | undefined)[]): string =>
  [...new Set(parts)].filter((part) => part !== undefined && part !== "").join("\n");
