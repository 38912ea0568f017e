/** Rebuilds the index from the thread objects, which are the record. */
import type { ThreadSummary } from "../contracts/thread.ts";
import { buildRewrite } from "./upsert.ts";

/** Threads that are read and written in one step. */
const THREADS_PER_STEP = 25;
/** Rows that one statement lists or deletes, which bounds its duration. */
const MAX_ROWS_PER_STATEMENT = 1_000;

const SELECT_SEQS_SQL = `SELECT ref, seq FROM threads
  WHERE household = ? AND ref IN (SELECT value FROM json_each(?))`;
const LIST_SQL = `SELECT ref, seq FROM threads WHERE household = ? AND ref > ? ORDER BY ref LIMIT ${MAX_ROWS_PER_STATEMENT}`;
const DELETE_SQL = "DELETE FROM threads WHERE household = ? AND ref = ? AND seq = ?";
const DROP_SQL = `DELETE FROM threads WHERE id IN
  (SELECT id FROM threads WHERE household = ? LIMIT ${MAX_ROWS_PER_STATEMENT}) RETURNING id`;

/** The records that the index is derived from. */
export interface HouseholdRecords {
  /** Lists the refs of the catalog after `after`, in the catalog's order. */
  listRefs(after: string | null, limit: number): Promise<string[]>;
  /** Returns the summary from the thread's object; null when the thread does not exist. */
  getSummary(ref: string): Promise<ThreadSummary | null>;
  /** Returns the refs that are not in the catalog. */
  findUnknownRefs(refs: string[]): Promise<string[]>;
}

interface IndexRow {
  ref: string;
  seq: number;
}

/**
 * Writes the rows of a part of the household's threads; after the last part, deletes rows without a thread. Threads
 * may change meanwhile: the `seq` of a row protects newer rows from being overwritten or deleted. Throws when D1 or
 * an object fails; repeating it is safe.
 * @param after the ref after which the part begins; null for the first part
 * @param limit maximum number of threads in the part
 * @returns the number of rows written, and the part's last ref as `next` where more threads follow
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
  for (let threadsLeft = limit; threadsLeft > 0;) {
    const page = await records.listRefs(last, Math.min(THREADS_PER_STEP, threadsLeft));
    if (page.length === 0) break;
    written += await rewriteRows(db, household, page, records);
    last = page.at(-1)!;
    threadsLeft -= page.length;
  }
  const more = await records.listRefs(last, 1);
  if (more.length > 0 && last !== null) return { written, next: last };
  await deleteUnknownRows(db, household, records);
  return { written };
}

/** Writes the rows of these refs from their threads. Returns the number of threads. */
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
  const outdatedRows = results.filter(({ ref, seq }) => seq > (seqByRef.get(ref) ?? -1));
  const statements = [
    ...outdatedRows.map(({ ref, seq }) => db.prepare(DELETE_SQL).bind(household, ref, seq)),
    ...threads.map((thread) => buildRewrite(db, thread)),
  ];
  if (statements.length > 0) await db.batch(statements);
  return threads.length;
}

async function deleteUnknownRows(
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

/** Deletes all rows of the household; triggers delete what is derived from them. */
export async function dropHousehold(db: D1Database, household: string): Promise<void> {
  for (;;) {
    const { results } = await db.prepare(DROP_SQL).bind(household).all();
    if (results.length < MAX_ROWS_PER_STATEMENT) return;
  }
}
