/** Making the index agree with the objects again. They are the record: what they do not back is removed. */
import type { ThreadSummary } from "../contracts/thread.ts";
import { buildRewrite } from "./upsert.ts";

/** Threads that are asked and written in one step. */
const THREADS_PER_STEP = 25;
/** Rows that one statement lists or deletes, so that none runs long. */
const MAX_ROWS_PER_STATEMENT = 1_000;

const SELECT_SEQS_SQL = `SELECT ref, seq FROM threads
  WHERE household = ? AND ref IN (SELECT value FROM json_each(?))`;
const LIST_SQL = `SELECT ref, seq FROM threads WHERE household = ? AND ref > ? ORDER BY ref LIMIT ${MAX_ROWS_PER_STATEMENT}`;
const DELETE_SQL = "DELETE FROM threads WHERE household = ? AND ref = ? AND seq = ?";
const DROP_SQL = `DELETE FROM threads WHERE id IN
  (SELECT id FROM threads WHERE household = ? LIMIT ${MAX_ROWS_PER_STATEMENT}) RETURNING id`;

/** The record that the index is made from. */
export interface HouseholdRecords {
  /** The catalogue's page after a ref, in the catalogue's order. */
  listRefs(after: string | null, limit: number): Promise<string[]>;
  /** The thread's own summary; null when there is no such thread. */
  getSummary(ref: string): Promise<ThreadSummary | null>;
  /** Those of the refs that are not in the catalogue. */
  findUnknownRefs(refs: string[]): Promise<string[]>;
}

interface IndexRow {
  ref: string;
  seq: number;
}

/**
 * Writes the row of every thread in a part of the household's catalogue, and after the last part removes the rows
 * that no thread backs. Threads may go on changing meanwhile: a row that was written after it was looked at is never
 * removed, one that is newer never overwritten. Throws when D1 or an object fails; repeating it is safe.
 * @param after the ref after which the part begins; null for the first
 * @param limit threads of the part, at most
 * @returns how many rows were written, and the part's last ref where more threads follow
 */
export async function rebuildIndex(
  db: D1Database,
  household: string,
  records: HouseholdRecords,
  after: string | null,
  limit: number,
): Promise<{ written: number; next?: string }> {
  let written = 0;
  let last = after;
  for (let left = limit; left > 0;) {
    const page = await records.listRefs(last, Math.min(THREADS_PER_STEP, left));
    if (page.length === 0) break;
    written += await rewriteRows(db, household, page, records);
    last = page.at(-1)!;
    left -= page.length;
  }
  const more = await records.listRefs(last, 1);
  if (more.length > 0 && last !== null) return { written, next: last };
  await removeUnbacked(db, household, records);
  return { written };
}

/** Makes the rows of these refs say what their threads do. Returns how many there are. */
async function rewriteRows(
  db: D1Database,
  household: string,
  refs: string[],
  records: HouseholdRecords,
): Promise<number> {
  const { results } = await db
    .prepare(SELECT_SEQS_SQL)
    .bind(household, JSON.stringify(refs))
    .all<IndexRow>();
  const summaries = await Promise.all(refs.map((ref) => records.getSummary(ref)));
  const threads = summaries.filter((thread) => thread !== null);
  const seqByRef = new Map(threads.map(({ ref, seq }) => [ref, seq]));
  const wrong = results.filter(({ ref, seq }) => seq > (seqByRef.get(ref) ?? -1));
  const statements = [
    ...wrong.map(({ ref, seq }) => db.prepare(DELETE_SQL).bind(household, ref, seq)),
    ...threads.map((thread) => buildRewrite(db, thread)),
  ];
  if (statements.length > 0) await db.batch(statements);
  return threads.length;
}

async function removeUnbacked(
  db: D1Database,
  household: string,
  records: HouseholdRecords,
): Promise<void> {
  for (let after = ""; ;) {
    const { results } = await db.prepare(LIST_SQL).bind(household, after).all<IndexRow>();
    if (results.length === 0) return;
    const unknown = new Set(await records.findUnknownRefs(results.map(({ ref }) => ref)));
    const removals = results
      .filter(({ ref }) => unknown.has(ref))
      .map(({ ref, seq }) => db.prepare(DELETE_SQL).bind(household, ref, seq));
    for (let at = 0; at < removals.length; at += THREADS_PER_STEP)
      await db.batch(removals.slice(at, at + THREADS_PER_STEP));
    after = results.at(-1)!.ref;
  }
}

/** Removes all rows of the household, with what was derived of them. */
export async function dropHousehold(db: D1Database, household: string): Promise<void> {
  for (;;) {
    const { results } = await db.prepare(DROP_SQL).bind(household).all();
    if (results.length < MAX_ROWS_PER_STATEMENT) return;
  }
}
