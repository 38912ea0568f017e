/**
 * What a robot is sent: the thread as a MESSE-AF file, or one event in JSON. Under 20 KB (Standard Webhooks); what is
 * longer is cut, and says where the whole is.
 */
import type { JsonMap } from "../../mess/json.ts";
import { SEPARATOR, writeDocuments } from "../../mess/wire/serialize.ts";
import { writeTime } from "../../mess/times.ts";
import type { Notice, NoticeKind } from "../channel.ts";

/** Bytes of UTF-8. */
export const MOST_SENT = 20_000;

/** Characters of one value in a body that is cut, and bytes of all that is kept of its request. */
const CUT_LINE = 300;
const OUTLINE = 6_000;

export interface WebhookBody {
  bytes: Uint8Array;
  type: string;
  /** Something was left out. */
  cut: boolean;
}

/** Names of the events, as JSON has them in `type` and every body in `mess-event`. */
export const EVENTS: Readonly<Record<NoticeKind, string>> = {
  offer: "task.offered",
  reminder: "task.reminder",
  news: "task.news",
  update: "task.updated",
  alert: "task.alert",
};

/** Where the thread is read and written with the callback's token or a key. */
export const threadAddress = ({ callback, ref }: Notice): string | undefined =>
  callback && `${new URL(callback.url).origin}/mess/${ref}`;

const encoder = new TextEncoder();
const fits = (text: string): boolean => encoder.encode(text).byteLength < MOST_SENT;

const shortened = (text: string): string =>
  text.length > CUT_LINE ? `${text.slice(0, CUT_LINE).toWellFormed()}…` : text;

/** The first of the texts that is short enough; the last is made so that it is. */
function firstFitting(type: string, texts: readonly (() => string)[]): WebhookBody {
  for (const [index, make] of texts.entries()) {
    const text = make();
    if (fits(text) || index === texts.length - 1)
      return { bytes: encoder.encode(text), type, cut: index > 0 };
  }
  throw new Error("a body needs a text");
}

/** @param now milliseconds since 1970 */
export function jsonBody(notice: Notice, now: number): WebhookBody {
  const write = (request: JsonMap, more: JsonMap): string =>
    JSON.stringify({
      type: EVENTS[notice.kind],
      timestamp: writeTime(now, "UTC"),
      data: { ...dataOf(notice), ...more, request },
    });
  const told: JsonMap = notice.news === undefined ? {} : { news: notice.news };
  return firstFitting("application/json", [
    () => write(notice.request, { context: [...notice.context], ...told }),
    () => write(outline(notice), { cut: true, ...cutNews(notice) }),
    () => write({ intent: shortened(notice.intent) }, { cut: true, ...cutNews(notice) }),
  ]);
}

const cutNews = ({ news }: Notice): JsonMap =>
  news === undefined ? {} : { news: shortened(news) };

/** Small whatever the thread holds: nothing here but ids, words of ours and times. */
function dataOf(notice: Notice): JsonMap {
  const { ref, executor, priority, status, requestor, holder, mine, actions, expires } = notice;
  const { callback } = notice;
  const thread = threadAddress(notice);
  return {
    ref,
    executor,
    intent: shortened(notice.intent),
    priority,
    status,
    requestor,
    holder: holder === null ? null : shortened(holder),
    mine,
    actions: [...actions],
    ...(expires === undefined ? {} : { expires }),
    ...(callback === undefined ? {} : { callback: { ...callback } }),
    ...(thread === undefined ? {} : { thread }),
  };
}

/** The request without what may be long: its first fields that are short. */
function outline({ request, intent }: Notice): JsonMap {
  const kept: JsonMap = {};
  let size = 0;
  for (const [key, value] of Object.entries(request)) {
    const length = encoder.encode(JSON.stringify([key, value])).byteLength;
    if (key === "context" || length > CUT_LINE || size + length > OUTLINE) continue;
    kept[key] = value;
    size += length;
  }
  return { ...kept, intent: shortened(intent) };
}

/**
 * The thread as a file. One that is too long is cut to its envelope and its request, then to what the notice knows.
 * @param file MESSE-AF: a stranger's text never begins a line of it, so its documents part at the separator.
 */
export function yamlBody(notice: Notice, file: string): WebhookBody {
  const { ref, requestor, holder, status, intent, priority } = notice;
  const documents = file.split(`\n${SEPARATOR}`);
  const envelope = { ref, requestor, executor: holder && shortened(holder), status };
  const about = { intent: shortened(intent), priority };
  return firstFitting("application/yaml", [
    () => file,
    () => documents.slice(0, 2).join(`\n${SEPARATOR}`),
    () =>
      writeDocuments([
        { ...envelope, ...about },
        { from: requestor, MESS: [{ request: outline(notice) }] },
      ]),
  ]);
}
