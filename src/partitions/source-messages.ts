/** The index of the messages of sources: written by the sources' objects, searched by their readers. */
import type { Outcome } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import type { SourceMessageStatus, Tier } from "../mess/sources/vocabulary.ts";
import { refuseCursor } from "./cursor.ts";
import { readIndex } from "./index-timeout.ts";
import { buildIndexedTerms, buildMatchExpression, toHex } from "./search-terms.ts";

/** Ids of one millisecond; see the migration. */
const IDS_PER_MS = 1_024;
/** Rows that one statement deletes, which bounds its duration. */
const MAX_ROWS_PER_STATEMENT = 1_000;

/** A message as its source's object sends it to the index. */
export interface IndexedSourceMessage {
  seq: number;
  id: string;
  sender: string;
  sender_name: string | null;
  subject: string | null;
  status: SourceMessageStatus;
  tier: Tier | null;
  /** Arrival, milliseconds since 1970. */
  at: number;
  excerpt: string;
  body: string;
}

/** A source as the rows name it. */
export interface IndexedSource {
  household: string;
  source: string;
}

/** A message must meet all conditions that are given. */
export interface SourceMessageFilter {
  /** The sources that the caller may read. */
  sources: readonly string[];
  /** Search text: all words must occur, the last one also as the beginning of a word. */
  text?: string;
  /** At or after this arrival, in milliseconds. */
  from?: number;
  /** Before this arrival, in milliseconds. */
  to?: number;
  /** Address of the sender, without regard to case. */
  sender?: string;
  tier?: Tier;
  status?: SourceMessageStatus;
  limit: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

export interface FoundSourceRow {
  id: number;
  source: string;
  message: string;
  sender: string;
  sender_name: string | null;
  subject: string | null;
  status: SourceMessageStatus;
  tier: Tier | null;
  at: number;
  excerpt: string;
}

const UPSERT_SQL = `
  INSERT INTO source_messages
    (id, household, source, seq, message, sender, sender_name, subject, status, tier, at, excerpt, words)
  SELECT COALESCE(MAX(id) + 1, ?1), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14
    FROM source_messages WHERE id >= ?1 AND id < ?2
  ON CONFLICT (household, source, seq) DO UPDATE SET message = excluded.message, sender = excluded.sender,
    sender_name = excluded.sender_name, subject = excluded.subject, status = excluded.status, tier = excluded.tier,
    excerpt = excluded.excerpt, words = excluded.words`;

const DELETE_SQL = `DELETE FROM source_messages
  WHERE household = ? AND source = ? AND seq IN (SELECT value FROM json_each(?))`;

const DROP_SQL = `DELETE FROM source_messages WHERE household = ?1 AND source = ?2 AND seq IN
  (SELECT seq FROM source_messages WHERE household = ?1 AND source = ?2 AND seq > ?3 ORDER BY seq LIMIT ${MAX_ROWS_PER_STATEMENT})
  RETURNING seq`;

const SEARCH_SQL = `
  SELECT m.id, m.source, m.message, m.sender, m.sender_name, m.subject, m.status, m.tier, m.at, m.excerpt
    FROM search_sources s CROSS JOIN source_messages m ON m.id = s.rowid
    WHERE s.search_sources MATCH ? AND s.rowid >= ? AND s.rowid < ? AND m.household = ?
    ORDER BY s.rowid DESC LIMIT ?`;

/** The conditions that are terms of a row. Values are written in hex, so that each is one term. */
type TermKind = "source" | "sender" | "tier" | "status";
const TERM_PREFIXES: Readonly<Record<TermKind, string>> = {
  source: "yn",
  sender: "ys",
  tier: "yt",
  status: "yu",
};
const buildTerm = (kind: TermKind, value: string): string =>
  `${TERM_PREFIXES[kind]}${toHex(value.toLowerCase()).toLowerCase()}`;

function buildTerms(source: string, message: IndexedSourceMessage): string {
  const { sender, sender_name, subject, body, tier, status } = message;
  const words = buildIndexedTerms([sender_name ?? "", sender, subject ?? "", body].join("\n"));
  return [
    buildTerm("source", source),
    buildTerm("sender", sender),
    buildTerm("status", status),
    ...(tier === null ? [] : [buildTerm("tier", tier)]),
    ...(words === "" ? [] : words.split(" ").map((word) => `x${word}`)),
  ].join(" ");
}

/** Adds the messages, or replaces what the index has of them; deletes others. Throws when D1 fails. */
export async function writeSourceRows(
  db: D1Database,
  { household, source }: IndexedSource,
  messages: readonly IndexedSourceMessage[],
  deleted: readonly number[],
): Promise<void> {
  const upsert = db.prepare(UPSERT_SQL);
  const statements = messages.map((message) => {
    const { seq, id, sender, sender_name, subject, status, tier, at, excerpt } = message;
    return upsert.bind(
      at * IDS_PER_MS,
      (at + 1) * IDS_PER_MS,
      household,
      source,
      seq,
      id,
      sender,
      sender_name,
      subject,
      status,
      tier,
      at,
      excerpt,
      buildTerms(source, message),
    );
  });
  if (deleted.length > 0)
    statements.push(db.prepare(DELETE_SQL).bind(household, source, JSON.stringify(deleted)));
  if (statements.length > 0) await db.batch(statements);
}

/** Deletes the rows of a source after the position. Throws when D1 fails. */
export async function dropSourceRows(
  db: D1Database,
  { household, source }: IndexedSource,
  after = 0,
): Promise<void> {
  for (;;) {
    const { results } = await db.prepare(DROP_SQL).bind(household, source, after).all();
    if (results.length < MAX_ROWS_PER_STATEMENT) return;
  }
}

/** Returns one page of the messages of these sources, the newest arrival first. */
export async function searchSourceRows(
  db: D1Database,
  household: string,
  filter: SourceMessageFilter,
): Promise<Outcome<{ rows: FoundSourceRow[]; next_cursor?: string }>> {
  const { from = 0, to = Number.MAX_SAFE_INTEGER, limit, cursor } = filter;
  if (cursor !== undefined && !/^\d{1,16}$/.test(cursor)) return refuseCursor();
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
  const match = buildConditions(household, filter);
  if (match === undefined) return ok({ rows: [] });
  const found = await readIndex(
    db
      .prepare(SEARCH_SQL)
      .bind(match, toFirstId(from), Math.min(toFirstId(to), before), household, limit + 1)
      .all<FoundSourceRow>(),
  );
  if (!found.ok) return found;
  const rows = found.value.results.slice(0, limit);
  const last = rows.at(-1);
  return ok({
    rows,
    ...(found.value.results.length > limit && last ? { next_cursor: String(last.id) } : {}),
  });
}

const toFirstId = (instant: number): number =>
  Math.min(instant * IDS_PER_MS, Number.MAX_SAFE_INTEGER);

/** Undefined if no message can match: there is no source to search, or the text has no word. */
function buildConditions(
  household: string,
  { sources, text, sender, tier, status }: SourceMessageFilter,
): string | undefined {
  if (sources.length === 0) return undefined;
  const quote = (kind: TermKind, value: string) => `"${toHex(household)}${buildTerm(kind, value)}"`;
  const parts = [`(${sources.map((source) => quote("source", source)).join(" OR ")})`];
  if (sender !== undefined) parts.push(quote("sender", sender));
  if (tier !== undefined) parts.push(quote("tier", tier));
  if (status !== undefined) parts.push(quote("status", status));
  if (text !== undefined && text.trim() !== "") {
    const words = buildMatchExpression(household, text);
    if (words === undefined) return undefined;
    parts.push(`(${words})`);
  }
  return parts.join(" AND ");
}
