/** Making the index agree with the objects again. They are the record: what they do not back is removed. */
import type { ThreadSummary } from "../contracts/thread.ts";
import { rewriteThread } from "./upsert.ts";

/** Threads that are asked and written in one step. */
const STEP = 25;
/** Rows that one statement lists or deletes, so that none runs long. */
const ROWS = 1_000;

const SEQS = `SELECT ref, seq FROM threads
  WHERE household = ? AND ref IN (SELECT value FROM json_each(?))`;
const LIST = `SELECT ref, seq FROM threads WHERE household = ? AND ref > ? ORDER BY ref LIMIT ${ROWS}`;
const DELETE = "DELETE FROM threads WHERE household = ? AND ref = ? AND seq = ?";
const DROP = `DELETE FROM threads WHERE id IN
  (SELECT id FROM threads WHERE household = ? LIMIT ${ROWS}) RETURNING id`;

/** The record that the index is made from. */
export interface Objects {
  /** The catalogue's page after a ref, in the catalogue's order. */
  refs(after: string | null, limit: number): Promise<string[]>;
  /** The thread's own summary; null when there is no such thread. */
  summary(ref: string): Promise<ThreadSummary | null>;
  /** Those of the refs that are not in the catalogue. */
  unknownRefs(refs: string[]): Promise<string[]>;
}

interface Row {
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
  objects: Objects,
  after: string | null,
  limit: number,
): Promise<{ written: number; next?: string }> {
  let written = 0;
  let last = after;
  for (let left = limit; left > 0;) {
    const page = await objects.refs(last, Math.min(STEP, left));
    if (page.length === 0) break;
    written += await rewrite(db, household, page, objects);
    last = page.at(-1)!;
    left -= page.length;
  }
  const more = await objects.refs(last, 1);
  if (more.length > 0 && last !== null) return { written, next: last };
  await removeUnbacked(db, household, objects);
  return { written };
}

/** Makes the rows of these refs say what their threads do. Returns how many there are. */
async function rewrite(
  db: D1Database,
  household: string,
  refs: string[],
  objects: Objects,
): Promise<number> {
  const { results } = await db.prepare(SEQS).bind(household, JSON.stringify(refs)).all<Row>();
  const summaries = await Promise.all(refs.map((ref) => objects.summary(ref)));
  const threads = summaries.filter((thread) => thread !== null);
  const told = new Map(threads.map(({ ref, seq }) => [ref, seq]));
  const wrong = results.filter(({ ref, seq }) => seq > (told.get(ref) ?? -1));
  const statements = [
    ...wrong.map(({ ref, seq }) => db.prepare(DELETE).bind(household, ref, seq)),
    ...threads.map((thread) => rewriteThread(db, thread)),
  ];
  if (statements.length > 0) await db.batch(statements);
  return threads.length;
}

async function removeUnbacked(db: D1Database, household: string, objects: Objects): Promise<void> {
  for (let after = ""; ;) {
    const { results } = await db.prepare(LIST).bind(household, after).all<Row>();
    if (results.length === 0) return;
    const unknown = new Set(await objects.unknownRefs(results.map(({ ref }) => ref)));
    const removals = results
      .filter(({ ref }) => unknown.has(ref))
      .map(({ ref, seq }) => db.prepare(DELETE).bind(household, ref, seq));
    for (let at = 0; at < removals.length; at += STEP)
      await db.batch(removals.slice(at, at + STEP));
    after = results.at(-1)!.ref;
  }
}

/** Removes all rows of the household, with what was derived of them. */
export async function dropHousehold(db: D1Database, household: string): Promise<void> {
  for (;;) {
    const { results } = await db.prepare(DROP).bind(household).all();
    if (results.length < ROWS) return;
  }
}
