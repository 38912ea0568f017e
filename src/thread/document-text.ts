/**
 * Reads the documents of a thread as the text of a response, straight from their rows: parsing and writing a thousand
 * messages for each read takes several times as long as the rest of the call. Documents never change, so a reader
 * may fetch a long text in parts.
 */
import type { MessageDocument } from "../mess/envelope.ts";
import {
  type DocumentFormat,
  joinDocumentTexts,
  writeMessageDocuments,
} from "../mess/messe-af/write.ts";
import type { DocumentRange, DocumentText } from "../contracts/thread.ts";

/** A part ends after the document that reaches this length, so that neither object nor Worker holds a long thread. */
const MAX_PART_CHARS = 1024 * 1024;
/** Writing a longer document takes little time for its length, so its YAML is not stored beside its JSON. */
const MAX_STORED_YAML_CHARS = 16 * 1024;

/** Returns the YAML to store with a message and its acks; null where they are written at each read. */
export function writeStoredYaml(documents: readonly MessageDocument[]): string | null {
  const text = writeMessageDocuments("yaml", documents);
  return text.length > MAX_STORED_YAML_CHARS ? null : text;
}

type TextRow = [serial: number, text: string | null, acks: string];

const TEXT_COLUMNS: Readonly<Record<DocumentFormat, string>> = {
  json: "document, acks",
  yaml: "yaml, '[]'",
};

/** Reads the text of the documents in the range, up to the maximum length of a part. */
export function readDocumentText(
  sql: SqlStorage,
  format: DocumentFormat,
  { from, to }: DocumentRange,
): DocumentText {
  const query = `SELECT serial, ${TEXT_COLUMNS[format]} FROM documents WHERE serial BETWEEN ? AND ? ORDER BY serial`;
  const texts: string[] = [];
  let length = 0;
  let last = to;
  for (const [serial, stored, acks] of sql.exec(query, from, to).raw<TextRow>()) {
    const text = stored ?? writeYamlOf(sql, serial);
    texts.push(acks === "[]" ? text : `${text},${acks.slice(1, -1)}`);
    length += text.length;
    if (length < MAX_PART_CHARS) continue;
    last = serial;
    break;
  }
  const joined = joinDocumentTexts(format, texts);
  return {
    text: format === "json" ? showUnknownKeys(joined) : joined,
    ...(last < to ? { rest: { from: last + 1, to } } : {}),
  };
}

/** An imported document stores its unknown keys in `extra` and shows them beside the known ones. */
const showUnknownKeys = (json: string): string =>
  json.includes('"extra":')
    ? writeMessageDocuments("json", JSON.parse(`[${json}]`) as MessageDocument[])
    : json;

function writeYamlOf(sql: SqlStorage, serial: number): string {
  const { document, acks } = sql
    .exec<{ document: string; acks: string }>(
      "SELECT document, acks FROM documents WHERE serial = ?",
      serial,
    )
    .one();
  return writeMessageDocuments("yaml", [
    JSON.parse(document) as MessageDocument,
    ...(JSON.parse(acks) as MessageDocument[]),
  ]);
}

/**
 * Finds the documents of changes after `seq`: all of them, or the first `limit`, extended to the end of a change,
 * since a cursor cannot point into one. Reads few rows, wherever the cursor is.
 * @returns `cursor`: the `seq` of the last document; absent where the thread has no later ones
 */
export function findDocumentRange(
  sql: SqlStorage,
  seq: number,
  limit: number | undefined,
): DocumentRange & { cursor?: number } {
  const last = sql.exec<{ last: number }>("SELECT max(serial) AS last FROM documents").one().last;
  const from = findFirstAfter(sql, seq, last);
  if (limit === undefined || from + limit > last) return { from, to: last };
  const cursor = readSeq(sql, from + limit - 1);
  const to = findFirstAfter(sql, cursor, last) - 1;
  return to < last ? { from, to, cursor } : { from, to };
}

/** Returns the lowest serial from which all documents are of changes after `seq`; searches backwards from the end. */
function findFirstAfter(sql: SqlStorage, seq: number, last: number): number {
  if (seq <= 0) return 0;
  let low = 0;
  let high = last + 1;
  for (let step = 1; low < high; step *= 2) {
    // Doubled steps first, then halves: the cursor of most reads is near the end.
    const middle = Math.max(high - step, (low + high) >> 1);
    if (readSeq(sql, middle) > seq) high = middle;
    else low = middle + 1;
  }
  return high;
}

/** The `seq` of the document with this serial, or of the one before it. */
const readSeq = (sql: SqlStorage, serial: number): number =>
  sql
    .exec<{ seq: number }>(
      "SELECT seq FROM documents WHERE serial <= ? ORDER BY serial DESC LIMIT 1",
      serial,
    )
    .toArray()[0]?.seq ?? 0;
