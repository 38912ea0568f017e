/** The index of the messages of AI groups: written by the groups' objects, searched by members and owners. */
import type { Outcome } from "../mess/errors.ts";
import type { GroupMessageType } from "../mess/groups/vocabulary.ts";
import { ok } from "../mess/result.ts";
import { refuseCursor } from "./cursor.ts";
import { readIndex } from "./index-timeout.ts";
import { buildIndexedTerms, buildMatchExpression, toHex } from "./search-terms.ts";

const EXCERPT_CHARS = 300;
/** Ids of one millisecond; see the migration. */
const IDS_PER_MS = 1_024;

/** A message as its group's object sends it to the index. */
export interface IndexedGroupMessage {
  household: string;
  group_id: string;
  seq: number;
  id: string;
  /** First id of the sender. */
  from: string;
  from_name: string;
  to: string;
  type: GroupMessageType;
  /** Milliseconds since 1970. */
  at: number;
  content: string;
}

/** A message must meet all conditions that are given. */
export interface GroupMessageFilter {
  /** First ids of members of which one sent or received the message; without it, all channels of the household. */
  visibleTo?: readonly string[];
  /** Search text: all words must occur, the last one also as the beginning of a word. */
  text?: string;
  /** At or after this instant, in milliseconds. */
  from?: number;
  /** Before this instant, in milliseconds. */
  to?: number;
  /** First id of a member that sent or received it. */
  member?: string;
  type?: GroupMessageType;
  group_id?: string;
  limit: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

export interface FoundGroupRow {
  id: number;
  group_id: string;
  message: string;
  seq: number;
  sender: string;
  sender_name: string;
  receiver: string;
  type: GroupMessageType;
  at: number;
  excerpt: string;
}

export interface FoundGroupRows {
  rows: FoundGroupRow[];
  /** Absent on the last page. */
  next_cursor?: string;
}

const INSERT_SQL = `
  INSERT INTO group_messages
    (id, household, group_id, seq, message, sender, sender_name, receiver, type, at, excerpt, words)
  SELECT COALESCE(MAX(id) + 1, ?1), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13
    FROM group_messages WHERE id >= ?1 AND id < ?2
  ON CONFLICT (household, group_id, seq) DO NOTHING`;

const SEARCH_SQL = `
  SELECT m.id, m.group_id, m.message, m.seq, m.sender, m.sender_name, m.receiver, m.type, m.at, m.excerpt
    FROM search_groups s CROSS JOIN group_messages m ON m.id = s.rowid
    WHERE s.search_groups MATCH ? AND s.rowid >= ? AND s.rowid < ? AND m.household = ?
    ORDER BY s.rowid DESC LIMIT ?`;

const DELETE_SQL = `DELETE FROM group_messages
  WHERE household = ? AND group_id = ? AND seq IN (SELECT value FROM json_each(?))`;

/** The conditions that are terms of a row. Ids contain one underscore, which is no character of a term. */
type TermKind = "member" | "type" | "group";
const TERM_PREFIXES: Readonly<Record<TermKind, string>> = { member: "ym", type: "yt", group: "yg" };
const buildTerm = (kind: TermKind, value: string): string =>
  `${TERM_PREFIXES[kind]}${value.replaceAll(/[^a-z0-9]/g, "")}`;
/** A term of every row, since FTS5 has no query for all rows. */
const EVERY_ROW_TERM = "y";

function buildTerms({ content, from, to, type, group_id }: IndexedGroupMessage): string {
  const words = buildIndexedTerms(content);
  return [
    EVERY_ROW_TERM,
    buildTerm("member", from),
    buildTerm("member", to),
    buildTerm("type", type),
    buildTerm("group", group_id),
    ...(words === "" ? [] : words.split(" ").map((word) => `x${word}`)),
  ].join(" ");
}

/** Adds the messages; those that the index has already are left as they are. Throws when D1 fails. */
export async function indexGroupMessages(
  db: D1Database,
  messages: readonly IndexedGroupMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  const insert = db.prepare(INSERT_SQL);
  await db.batch(
    messages.map((message) => {
      const { household, group_id, seq, id, from, from_name, to, type, at, content } = message;
      return insert.bind(
        at * IDS_PER_MS,
        (at + 1) * IDS_PER_MS,
        household,
        group_id,
        seq,
        id,
        from,
        from_name,
        to,
        type,
        at,
        content.slice(0, EXCERPT_CHARS),
        buildTerms(message),
      );
    }),
  );
}

/** Deletes messages of a group by their positions. Throws when D1 fails. */
export async function deleteGroupRows(
  db: D1Database,
  household: string,
  group: string,
  seqs: readonly number[],
): Promise<void> {
  await db.prepare(DELETE_SQL).bind(household, group, JSON.stringify(seqs)).run();
}

/** Returns one page of the household's messages, newest first. */
export async function searchGroupRows(
  db: D1Database,
  household: string,
  filter: GroupMessageFilter,
): Promise<Outcome<FoundGroupRows>> {
  const { from = 0, to = Number.MAX_SAFE_INTEGER, limit, cursor } = filter;
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : readPosition(cursor);
  if (before === undefined) return refuseCursor();
  const match = buildConditions(household, filter);
  if (match === undefined) return ok({ rows: [] });
  const found = await readIndex(
    db
      .prepare(SEARCH_SQL)
      .bind(match, toFirstId(from), Math.min(toFirstId(to), before), household, limit + 1)
      .all<FoundGroupRow>(),
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

/** Undefined if no message can match: nothing is visible, or the text has no word. */
function buildConditions(
  household: string,
  { visibleTo, text, member, type, group_id }: GroupMessageFilter,
): string | undefined {
  const quote = (term: string) => `"${toHex(household)}${term}"`;
  const parts: string[] = [];
  if (visibleTo) {
    if (visibleTo.length === 0) return undefined;
    parts.push(`(${visibleTo.map((key) => quote(buildTerm("member", key))).join(" OR ")})`);
  }
  if (member !== undefined) parts.push(quote(buildTerm("member", member)));
  if (type !== undefined) parts.push(quote(buildTerm("type", type)));
  if (group_id !== undefined) parts.push(quote(buildTerm("group", group_id)));
  if (text !== undefined && text.trim() !== "") {
    const words = buildMatchExpression(household, text);
    if (words === undefined) return undefined;
    parts.push(`(${words})`);
  }
  return parts.length === 0 ? quote(EVERY_ROW_TERM) : parts.join(" AND ");
}

const readPosition = (cursor: string): number | undefined =>
  /^\d{1,16}$/.test(cursor) ? Number(cursor) : undefined;
