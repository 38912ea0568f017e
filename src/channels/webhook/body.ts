/**
 * Builds the body of a webhook request: the thread as a MESSE-AF file, or one event in JSON. Bodies stay under 20 KB
 * (Standard Webhooks). A longer one is cut, and a header has the URL of the complete thread.
 */
import { defined } from "../../mess/defined.ts";
import type { JsonMap } from "../../mess/json.ts";
import { stripEnd } from "../../mess/strip.ts";
import { DOCUMENT_SEPARATOR, writeDocuments, writeYaml } from "../../mess/wire/serialize.ts";
import { writeTime } from "../../mess/times.ts";
import type { Notice, NoticeKind } from "../channel.ts";

/** In UTF-8. */
export const MAX_BODY_BYTES = 20_000;

/** Maximum characters of one value in a cut body, and maximum bytes of the fields of its request. */
const MAX_CUT_LINE_CHARS = 300;
const MAX_OUTLINE_BYTES = 6_000;

export interface WebhookBody {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  /** Fields were left out or shortened. */
  isCut: boolean;
}

/** Names of the events, in `type` of a JSON body and in the header `mess-event`. */
export const EVENT_BY_NOTICE_KIND: Readonly<Record<NoticeKind, string>> = {
  offer: "task.offered",
  reminder: "task.reminder",
  news: "task.news",
  update: "task.updated",
  alert: "task.alert",
};

/** URL of the thread, which the callback token or an API key opens. */
export const buildThreadUrl = ({ callback, ref }: Notice): string | undefined =>
  callback && `${new URL(callback.url).origin}/mess/${ref}`;

const encoder = new TextEncoder();
const fitsBody = (text: string): boolean => encoder.encode(text).byteLength < MAX_BODY_BYTES;

const shorten = (text: string): string =>
  text.length > MAX_CUT_LINE_CHARS ? `${text.slice(0, MAX_CUT_LINE_CHARS).toWellFormed()}…` : text;

/** The first text that is short enough. The last one always is. */
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
  const earlier = buildEarlier(notice);
  return pickFirstFitting("application/json", [
    () => write(notice.request, { context: [...notice.context], ...eventFields, ...earlier }),
    // `cut` says that `{thread}/context` has the rest.
    ...(notice.earlier
      ? [() => write(notice.request, { cut: true, context: [...notice.context], ...eventFields })]
      : []),
    () => write(buildOutline(notice), { cut: true, ...buildCutEventText(notice) }),
    () => write({ intent: shorten(notice.intent) }, { cut: true, ...buildCutEventText(notice) }),
  ]);
}

/** The answers of earlier threads to which the request refers. */
export const buildEarlier = ({ earlier }: Notice): JsonMap =>
  earlier ? { earlier: earlier.map((one) => ({ ...one })) } : {};

const buildCutEventText = ({ eventText }: Notice): JsonMap =>
  eventText === undefined ? {} : { news: shorten(eventText) };

/** Fields whose size does not depend on the thread: ids, statuses, times and shortened texts. */
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
    ...defined({ expires }),
    ...(callback === undefined ? {} : { callback: { ...callback } }),
    ...defined({ thread }),
  };
}

/** The first short fields of the request. */
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

/** Adds fields to the first document of a file. A reader of MESSE-AF keeps fields that it does not know. */
const addToEnvelope = ([envelope = "", ...messages]: readonly string[], fields: JsonMap): string =>
  [`${envelope}\n${stripEnd(writeYaml(fields), "\n")}`, ...messages].join(
    `\n${DOCUMENT_SEPARATOR}`,
  );

/**
 * The thread as a file, with the answers of earlier threads in its first document. A file that is too long is cut to its envelope and request, then to the fields of the notice.
 * @param file MESSE-AF, in which no text of a user begins a line: it can safely be split at the separator
 */
export function buildYamlBody(notice: Notice, file: string): WebhookBody {
  const { ref, requestor, holder, status, intent, priority } = notice;
  const documents = file.split(`\n${DOCUMENT_SEPARATOR}`);
  const envelope = { ref, requestor, executor: holder && shorten(holder), status };
  const about = { intent: shorten(intent), priority };
  return pickFirstFitting("application/yaml", [
    ...(notice.earlier ? [() => addToEnvelope(documents, buildEarlier(notice))] : []),
    () => file,
    () => documents.slice(0, 2).join(`\n${DOCUMENT_SEPARATOR}`),
    () =>
      writeDocuments([
        { ...envelope, ...about },
        { from: requestor, MESS: [{ request: buildOutline(notice) }] },
      ]),
  ]);
}
