/**
 * What a robot is sent: the thread as a MESSE-AF file, or one event in JSON. Under 20 KB (Standard Webhooks); what is
 * longer is cut, and says where the whole is.
 */
import type { JsonMap } from "../../mess/json.ts";
import { DOCUMENT_SEPARATOR, writeDocuments } from "../../mess/wire/serialize.ts";
import { writeTime } from "../../mess/times.ts";
import type { Notice, NoticeKind } from "../channel.ts";

/** Bytes of UTF-8. */
export const MAX_BODY_BYTES = 20_000;

/** Characters of one value in a body that is cut, and bytes of all that is kept of its request. */
const MAX_CUT_LINE_CHARS = 300;
const MAX_OUTLINE_BYTES = 6_000;

export interface WebhookBody {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  /** Something was left out. */
  isCut: boolean;
}

/** Names of the events, as JSON has them in `type` and every body in `mess-event`. */
export const EVENT_BY_NOTICE_KIND: Readonly<Record<NoticeKind, string>> = {
  offer: "task.offered",
  reminder: "task.reminder",
  news: "task.news",
  update: "task.updated",
  alert: "task.alert",
};

/** Where the thread is read and written with the callback's token or a key. */
export const buildThreadUrl = ({ callback, ref }: Notice): string | undefined =>
  callback && `${new URL(callback.url).origin}/mess/${ref}`;

const encoder = new TextEncoder();
const fitsBody = (text: string): boolean => encoder.encode(text).byteLength < MAX_BODY_BYTES;

const shorten = (text: string): string =>
  text.length > MAX_CUT_LINE_CHARS ? `${text.slice(0, MAX_CUT_LINE_CHARS).toWellFormed()}…` : text;

/** The first of the texts that is short enough; the last is made so that it is. */
function pickFirstFitting(type: string, texts: readonly (() => string)[]): WebhookBody {
  for (const [index, make] of texts.entries()) {
    const text = make();
    if (fitsBody(text) || index === texts.length - 1)
      return { bytes: encoder.encode(text) as Uint8Array<ArrayBuffer>, type, isCut: index > 0 };
  }
  throw new Error("a body needs a text");
}

/** @param now milliseconds since 1970 */
export function buildJsonBody(notice: Notice, now: number): WebhookBody {
  const write = (request: JsonMap, more: JsonMap): string =>
    JSON.stringify({
      type: EVENT_BY_NOTICE_KIND[notice.kind],
      timestamp: writeTime(now, "UTC"),
      data: { ...buildData(notice), ...more, request },
    });
  const eventFields: JsonMap = notice.eventText === undefined ? {} : { news: notice.eventText };
  return pickFirstFitting("application/json", [
    () => write(notice.request, { context: [...notice.context], ...eventFields }),
    () => write(buildOutline(notice), { cut: true, ...buildCutEventText(notice) }),
    () => write({ intent: shorten(notice.intent) }, { cut: true, ...buildCutEventText(notice) }),
  ]);
}

const buildCutEventText = ({ eventText }: Notice): JsonMap =>
  eventText === undefined ? {} : { news: shorten(eventText) };

/** Small whatever the thread holds: nothing here but ids, words of ours and times. */
function buildData(notice: Notice): JsonMap {
  const { ref, executor, priority, status, requestor, holder, isHolder, actions, expires } = notice;
  const { callback } = notice;
  const thread = buildThreadUrl(notice);
  return {
    ref,
    executor,
    intent: shorten(notice.intent),
    priority,
    status,
    requestor,
    holder: holder === null ? null : shorten(holder),
    mine: isHolder,
    actions: [...actions],
    ...(expires === undefined ? {} : { expires }),
    ...(callback === undefined ? {} : { callback: { ...callback } }),
    ...(thread === undefined ? {} : { thread }),
  };
}

/** The request without what may be long: its first fields that are short. */
function buildOutline({ request, intent }: Notice): JsonMap {
  const outlined: JsonMap = {};
  let size = 0;
  for (const [key, value] of Object.entries(request)) {
    const length = encoder.encode(JSON.stringify([key, value])).byteLength;
    if (key === "context" || length > MAX_CUT_LINE_CHARS || size + length > MAX_OUTLINE_BYTES)
      continue;
    outlined[key] = value;
    size += length;
  }
  return { ...outlined, intent: shorten(intent) };
}

/**
 * The thread as a file. One that is too long is cut to its envelope and its request, then to what the notice knows.
 * @param file MESSE-AF: a stranger's text never begins a line of it, so its documents part at the separator.
 */
export function buildYamlBody(notice: Notice, file: string): WebhookBody {
  const { ref, requestor, holder, status, intent, priority } = notice;
  const documents = file.split(`\n${DOCUMENT_SEPARATOR}`);
  const envelope = { ref, requestor, executor: holder && shorten(holder), status };
  const about = { intent: shorten(intent), priority };
  return pickFirstFitting("application/yaml", [
    () => file,
    () => documents.slice(0, 2).join(`\n${DOCUMENT_SEPARATOR}`),
    () =>
      writeDocuments([
        { ...envelope, ...about },
        { from: requestor, MESS: [{ request: buildOutline(notice) }] },
      ]),
  ]);
}
