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
import type { DocumentRange, DocumentText, ThreadPage } from "../contracts/thread-views.ts";

/**
 * A part has at least one document, and no further one beyond this size, so that neither object nor Worker holds a long
 * thread, and the joined text is not longer than SQLite allows.
 */
const MAX_PART_BYTES = 1024 * 1024;
/** A database of this size has no text that is too long, so its documents need not be measured. */
const MAX_UNMEASURED_BYTES = 1_900_000;
/** Writing a longer document takes little time for its length, so its YAML is not stored beside its JSON. */
const MAX_STORED_YAML_CHARS = 16 * 1024;

/** Returns the YAML to store with a message and its acks; null where they are written at each read. */
export function writeStoredYaml(documents: readonly MessageDocument[]): string | null {
  const text = writeMessageDocuments("yaml", documents);
  return text.length > MAX_STORED_YAML_CHARS ? null : text;
}

const IN_RANGE_SQL = "FROM documents WHERE serial BETWEEN ?1 AND ?2";

/** The text of one row, and about its bytes. Acks are stored as a list of maps, whose brackets are removed. */
const ROW_SQL: Readonly<Record<DocumentFormat, { text: string; bytes: string }>> = {
  json: {
    text: "iif(acks = '[]', document, document || ',' || trim(acks, '[]'))",
    bytes: "octet_length(document) + octet_length(acks)",
  },
  yaml: { text: "yaml", bytes: "coalesce(octet_length(yaml), octet_length(document))" },
};

/** Reads the text of the documents in the range, up to the maximum length of a part. */
export function readDocumentText(
  sql: SqlStorage,
  format: DocumentFormat,
  { from, to }: DocumentRange,
): DocumentText {
  const last = findPartEnd(sql, format, { from, to });
  const joined = joinTexts(sql, format, { from, to: last ?? to });
  return {
    text: format === "json" && !wasCreatedHere(sql) ? showUnknownKeys(joined) : joined,
    ...(last === undefined ? {} : { rest: { from: last + 1, to } }),
  };
}

/**
 * Reads one page of the documents after `seq`, or all of them.
 * @returns `cursor`: the `seq` of the last document where `more` follow
 */
export function readPageText(
  sql: SqlStorage,
  format: DocumentFormat,
  { after = 0, limit }: ThreadPage,
): DocumentText & ({ more: false } | { more: true; cursor: number }) {
  const { cursor, ...range } = findDocumentRange(sql, after, limit);
  const text = readDocumentText(sql, format, range);
  return cursor === undefined ? { ...text, more: false } : { ...text, cursor, more: true };
}

/** The serial with which a part ends; undefined if the whole range is one part. */
function findPartEnd(
  sql: SqlStorage,
  format: DocumentFormat,
  { from, to }: DocumentRange,
): number | undefined {
  if (sql.databaseSize <= MAX_UNMEASURED_BYTES) return undefined;
  const { bytes } = ROW_SQL[format];
  const { total } = sql
    .exec<{ total: number | null }>(`SELECT sum(${bytes}) AS total ${IN_RANGE_SQL}`, from, to)
    .one();
  if ((total ?? 0) <= MAX_PART_BYTES) return undefined;
  const { first, fitting, last } = sql
    .exec<{ first: number; fitting: number | null; last: number }>(
      `SELECT min(serial) AS first, max(serial) FILTER (WHERE sum <= ?3) AS fitting, max(serial) AS last
       FROM (SELECT serial, sum(${bytes}) OVER (ORDER BY serial) AS sum ${IN_RANGE_SQL})`,
      from,
      to,
      MAX_PART_BYTES,
    )
    .one();
  const end = fitting ?? first;
  return end < last ? end : undefined;
}

/** SQLite joins the texts: a loop over the rows takes longer than all the rest of a long read. */
function joinTexts(sql: SqlStorage, format: DocumentFormat, { from, to }: DocumentRange): string {
  const separator = joinDocumentTexts(format, ["", ""]);
  const { text, missing } = sql
    .exec<{ text: string | null; missing: number }>(
      `SELECT group_concat(text, ?3) AS text, count(*) - count(text) AS missing
       FROM (SELECT ${ROW_SQL[format].text} AS text ${IN_RANGE_SQL} ORDER BY serial)`,
      from,
      to,
      separator,
    )
    .one();
  if (missing === 0) return text ?? "";
  const rows = sql.exec<{ serial: number; yaml: string | null }>(
    `SELECT serial, yaml ${IN_RANGE_SQL} ORDER BY serial`,
    from,
    to,
  );
  const texts = [...rows].map(({ serial, yaml }) => yaml ?? writeYamlOf(sql, serial));
  return texts.join(separator);
}

/** False for imported threads, and for those of versions that stored this fact in a table. */
const wasCreatedHere = (sql: SqlStorage): boolean =>
  sql
    .exec<{ facts: string | null }>("SELECT facts FROM documents WHERE serial = 0")
    .toArray()
    .some(({ facts }) => facts?.startsWith('{"created":'));

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
function findDocumentRange(
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
