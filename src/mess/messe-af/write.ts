/**
 * Writes a thread as MESSE-AF 2.1: the files of its directory, or one text (decision 63). The output is
 * deterministic, so that exporting an imported thread gives the bytes of the first export.
 */
import type { Envelope, HistoryEntry, MessageDocument, Thread } from "../envelope.ts";
import type { JsonMap } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { DOCUMENT_SEPARATOR, writeDocuments, writeYaml } from "../wire/serialize.ts";
import { buildThreadFileName } from "./names.ts";

/** A text file of a thread's directory. */
export interface ThreadFile {
  name: string;
  text: string;
}

const ENVELOPE_KEYS = [
  "ref",
  "client_id",
  "requestor",
  "executor",
  "status",
  "created",
  "updated",
  "expires",
  "intent",
  "priority",
  "batch",
  "blocked_by",
  "superseded_by",
  "delegated_to",
  "history",
] as const satisfies (keyof Envelope)[];

const HISTORY_KEYS = [
  "action",
  "at",
  "by",
  "ref",
  "note",
] as const satisfies (keyof HistoryEntry)[];

const DOCUMENT_KEYS = [
  "from",
  "received",
  "channel",
  "re",
  "MESS",
] as const satisfies (keyof MessageDocument)[];

/** Copies the value with its defined keys in the order of `keys`; unknown keys come last. */
function orderKeys<T extends object>(
  value: T,
  keys: readonly (keyof T & string)[],
  extra: JsonMap | undefined,
): JsonMap {
  const written: [string, unknown][] = keys
    .filter((key) => value[key] !== undefined)
    .map((key) => [key, value[key]]);
  const foreign = Object.entries(extra ?? {}).filter(
    ([key]) => !keys.some((known) => known === key),
  );
  return Object.fromEntries([...written, ...foreign]) as JsonMap;
}

/** Builds document 1. A missing executor is written as `null` (decision 37). */
export const buildEnvelopeDocument = (envelope: Envelope): JsonMap =>
  orderKeys(
    {
      ...envelope,
      executor: envelope.executor ?? null,
      history: envelope.history.map((entry) => orderKeys(entry, HISTORY_KEYS, undefined)),
    },
    ENVELOPE_KEYS,
    envelope.extra,
  );

/** Builds one of the documents 2…: one message or one ack. */
export const buildMessageDocument = (document: MessageDocument): JsonMap =>
  orderKeys(document, DOCUMENT_KEYS, document.extra);

/** The formats in which a thread is read. */
export type DocumentFormat = "json" | "yaml";

/** Writes documents 2… to be embedded in a longer text: as items of a JSON list, or as YAML documents. */
export const writeMessageDocuments = (
  format: DocumentFormat,
  messages: readonly MessageDocument[],
): string =>
  joinDocumentTexts(
    format,
    messages
      .map(buildMessageDocument)
      .map((document) => (format === "json" ? JSON.stringify(document) : writeYaml(document))),
  );

/** Joins texts of one or several documents. */
export const joinDocumentTexts = (format: DocumentFormat, texts: readonly string[]): string =>
  texts.join(format === "json" ? "," : DOCUMENT_SEPARATOR);

/** Writes the whole thread as one text of several documents. */
export const writeThreadYaml = ({ envelope, messages }: Thread): string =>
  writeDocuments([buildEnvelopeDocument(envelope), ...messages.map(buildMessageDocument)]);

const textEncoder = new TextEncoder();
const countBytes = (text: string): number => textEncoder.encode(text).byteLength;

/**
 * Writes the files of a thread's directory in the order of their numbers. A document is added to the last file until
 * the file would exceed `limit` bytes of UTF-8, including acks (decision 64). A larger document gets its own file.
 */
export function writeThreadFiles(
  { envelope, messages }: Thread,
  limit: number = LIMITS.fileBytes,
): ThreadFile[] {
  const texts = [[writeYaml(buildEnvelopeDocument(envelope))]];
  let size = countBytes(texts[0]![0]!);
  for (const message of messages) {
    const text = writeYaml(buildMessageDocument(message));
    const more = countBytes(text);
    if (size + DOCUMENT_SEPARATOR.length + more > limit) {
      texts.push([text]);
      size = more;
    } else {
      texts.at(-1)!.push(text);
      size += DOCUMENT_SEPARATOR.length + more;
    }
  }
  return texts.map((documents, number) => ({
    name: buildThreadFileName(envelope.ref, number),
    text: documents.join(DOCUMENT_SEPARATOR),
  }));
}
