/** Builds what a message to a person or robot says to the exchange: a request, a reply or a followup. Pure. */
import { defined } from "../defined.ts";
import { isMap, type Json } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { toOneLine } from "../one-line.ts";
import type { MessageInput } from "../wire/schema.ts";
import type { AnswerableMessage } from "./request-news.ts";
import type { Importance } from "./vocabulary.ts";

const PRIORITY_BY_IMPORTANCE = { high: "elevated", urgent: "urgent" } as const satisfies Record<
  Exclude<Importance, "normal">,
  string
>;

/** The first line is the intent; a longer text is its context as well. */
export function buildTaskRequest(
  content: string,
  importance: Exclude<Importance, "normal"> | undefined,
  from: { name: string; topic: string },
): MessageInput {
  const text = content.trim();
  const intent = text.split("\n", 1)[0]!.slice(0, LIMITS.intentChars);
  const body = {
    intent,
    context: [
      ...(intent === text ? [] : [text]),
      `Asked by ${toOneLine(from.name)} in the group “${toOneLine(from.topic)}”.`,
    ],
    // An equal request of somebody else is another task.
    coalesce: false,
    ...defined({ priority: importance && PRIORITY_BY_IMPORTANCE[importance] }),
  };
  return { blocks: [{ type: "request", body }] };
}

/** @param about the message that it answers */
export function buildAnswer(content: string, ref: string, about: AnswerableMessage): MessageInput {
  const re = `${ref}/${about.name}`;
  if (about.kind === "question")
    return { re, blocks: [{ type: "reply", body: { answers: readAnswers(content) } }] };
  const { word, reason } = splitVerdict(content);
  const verdict = about.kind === "confirmation" ? { confirm: word } : { accept: word };
  return { re, blocks: [{ type: "reply", body: { ...verdict, ...defined({ reason }) } }] };
}

export const buildFollowup = (content: string, ref: string): MessageInput => ({
  re: ref,
  blocks: [{ type: "followup", body: { message: content } }],
});

/** Several answers come as a JSON object, by the keys of their questions. */
function readAnswers(content: string): Json {
  if (!content.trimStart().startsWith("{")) return content.trim();
  try {
    const parsed = JSON.parse(content) as Json;
    return isMap(parsed) ? parsed : content.trim();
  } catch {
    return content.trim();
  }
}

/** `yes, but quietly`: the first word decides, and the exchange refuses any but yes and no. */
function splitVerdict(content: string): { word: string; reason: string | undefined } {
  const text = content.trim();
  const end = text.search(/[^\p{L}]/u);
  if (end === -1) return { word: text, reason: undefined };
  const reason = text.slice(end).replace(/^[^\p{L}\p{N}]+/u, "");
  return { word: text.slice(0, end), reason: reason === "" ? undefined : reason };
}
