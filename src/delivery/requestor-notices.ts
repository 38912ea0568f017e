/** What a requestor is told who can be reached: questions, answers, words of others, and how it ended. Pure. */
import { plainText } from "../mess/wire/content.ts";
import type { MessageDocument } from "../mess/envelope.ts";
import { blocksOf } from "../mess/wire/message.ts";
import type { Block, StatusUpdate } from "../mess/wire/schema.ts";
import { isFinal, type Status } from "../mess/status.ts";
import { EXCHANGE } from "../mess/thread/policy.ts";
import type { Happening } from "./delivery.ts";
import { cut, saidIn } from "./message-excerpts.ts";

/**
 * One happening for all that one change has brought; undefined where it is no news for the requestor: that somebody
 * takes the thread, gets on with it or lets it go.
 * @param documents of others than the requestor
 * @param status that the change has led to
 */
export function toldRequestor(
  documents: readonly MessageDocument[],
  status: Status,
): Happening | undefined {
  const all = documents.flatMap((document) => [
    ...blocksOf(document.MESS).flatMap((block) => toldBy(block, document.from, status)),
    ...saidIn(document),
  ]);
  const end = all.findLast(({ what }) => what === status);
  // That one has declined says less than that all have.
  if (status === "declined" && end?.by === EXCHANGE) return end;
  // Else the exchange only draws conclusions from what somebody has said.
  const spoken = all.filter(({ by }) => by !== EXCHANGE);
  const [first] = spoken.length > 0 ? spoken : all;
  if (!first) return undefined;
  const words = (spoken.length > 0 ? spoken : all).flatMap(({ text }) => (text ? [text] : []));
  const text = cut([...new Set(words)].join("\n"));
  return { ...first, what: end?.what ?? first.what, text };
}

function toldBy(block: Block, by: string, status: Status): Happening[] {
  switch (block.type) {
    case "status":
      return toldByStatus(block.body, by, status);
    case "response":
      return [{ what: "responded", by, text: plainText(block.body.content ?? []) }];
    case "suggestion":
      return [{ what: "suggested", by, text: block.body.reason ?? "" }];
    case "followup":
      // What the exchange itself adds, such as the answer of a thread that this one has joined.
      return by === EXCHANGE ? [{ what: "said", by, text: block.body.message ?? "" }] : [];
    default:
      return [];
  }
}

function toldByStatus(update: StatusUpdate, by: string, status: Status): Happening[] {
  const { code, message, questions = [], action } = update;
  if (code === "needs_input") {
    const asked = [message, ...questions.map(({ question }) => question)];
    return [{ what: "asked", by, text: joined(asked) }];
  }
  if (code === "needs_confirmation")
    return [{ what: "asked_to_confirm", by, text: joined([action, message]) }];
  const ends = code === status && (isFinal(code) || code === "partial" || by === EXCHANGE);
  if (!ends || NO_NEWS.includes(code)) return [];
  const reason = typeof update.reason === "string" ? update.reason : undefined;
  return [{ what: code, by, text: joined([message ?? reason]) }];
}

/** Of the exchange's own: the thread is open again. */
const NO_NEWS: readonly string[] = ["pending", "retrying"];

const joined = (parts: readonly (string | undefined)[]): string =>
  [...new Set(parts)].filter((part) => part !== undefined && part !== "").join("\n");
