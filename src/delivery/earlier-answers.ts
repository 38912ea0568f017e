/** The answers of earlier threads to which the request refers, as a notice has them (decision 72). */
import type { EarlierAnswer } from "../channels/channel.ts";
import type { EarlierThread } from "../contracts/thread-views.ts";
import { defined } from "../mess/defined.ts";
import { isMap, type JsonMap } from "../mess/json.ts";
import { toPlainText } from "../mess/wire/content/content.ts";
import type { Entry } from "../mess/wire/content/entries.ts";

/** @param origin the exchange's address; without it the files have no URLs */
export const toEarlierAnswer = (
  thread: EarlierThread,
  referrer: string,
  origin: string | undefined,
): EarlierAnswer => {
  const { ref, part, intent, status, messages, attachments } = thread;
  return {
    ref,
    ...defined({ part }),
    intent,
    status,
    answer: messages.flatMap(({ MESS }) => MESS.flatMap(listAnswerEntries)),
    files: attachments.map(({ name, mime, size }) => ({
      uri: `content://${ref}/${name}`,
      mime,
      size,
      ...(origin === undefined ? {} : { url: `${origin}/mess/${referrer}/context/${ref}/${name}` }),
    })),
  };
};

function listAnswerEntries(item: JsonMap): Entry[] {
  const response = item["response"];
  if (!isMap(response)) return [];
  const { content, notes } = response;
  return [
    ...(Array.isArray(content) ? (content as Entry[]) : []),
    ...(typeof notes === "string" ? [notes] : []),
  ];
}

/** Replaces each `ref` entry by the earlier intent and answer in one line. */
export const describeRefs = (
  entries: readonly Entry[],
  earlier: readonly EarlierAnswer[],
): Entry[] =>
  entries.map((entry) => {
    const target = typeof entry === "string" ? undefined : entry["ref"];
    const found = earlier.find(
      ({ ref, part }) => target === (part === undefined ? ref : `${ref}/${part}`),
    );
    if (!found) return entry;
    const text = toPlainText(found.answer).replaceAll("\n", " ");
    return text === "" ? found.intent : `${found.intent}: ${text}`;
  });
