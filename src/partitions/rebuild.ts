/** Making the index agree with the objects again. They are the record: what they do not back is removed. */
import type { ThreadSummary } from "../thread/stub.ts";
import { rewriteThread } from "./upsert.ts";

/** Threads that are asked and written in one step. */
const STEP = 25;
/** Rows that one statement lists or deletes, so that none runs long. */
const ROWS = 1_000;

const LIST = `SELECT ref, seq FROM threads WHERE household = ? AND ref > ? ORDER BY ref LIMIT ${ROWS}`;
const DELETE = "DELETE FROM threads WHERE household = ? AND ref = ? AND seq = ?";
const DROP = `DELETE FROM threads WHERE id IN
  (SELECT id FROM threads WHERE household = ? LIMIT ${ROWS}) RETURNING id`;

/**
 * Writes the row of every thread in the household's catalogue, and removes the rows that no thread backs. Threads
 * may go on changing meanwhile: a row that was written after the start is never removed, one that is newer never
 * overwritten. Throws when D1 or an object fails; repeating it is safe.
 * @param refs the catalogue's page after a ref, in the catalogue's order.
 * @param summary the thread's own summary; null when there is no such thread.
 */
export async function rebuildIndex(
  db: D1Database,
  household: string,
  refs: (after: string | null, limit: number) => Promise<string[]>,
  summary: (ref: string) => Promise<ThreadSummary | null>,
): Promise<{ written: number }> {
  const unbacked = await indexed(db, household);
  let written = 0;
  let after: string | null = null;
  for (;;) {
    const page: string[] = await refs(after, STEP);
    const summaries = await Promise.all(page.map((ref) => summary(ref)));
    const statements: D1PreparedStatement[] = [];
    for (const thread of summaries) {
      if (!thread) continue;
      const seq = unbacked.get(thread.ref);
      unbacked.delete(thread.ref);
      if (seq !== undefined && seq > thread.seq)
        statements.push(db.prepare(DELETE).bind(household, thread.ref, seq));
      statements.push(rewriteThread(db, thread));
      written++;
    }
    if (statements.length > 0) await db.batch(statements);
    const last = page.at(-1);
    if (last === undefined || page.length < STEP) break;
    after = last;
  }
  await removeAll(db, household, unbacked);
  return { written };
}

/** Every row of the household with its `seq`, before anything is asked: what is not of the objects by then is drift. */
async function indexed(db: D1Database, household: string): Promise<Map<string, number>> {
  const rows = new Map<string, number>();
  let after = "";
  for (;;) {
    const { results } = await db
      .prepare(LIST)
      .bind(household, after)
      .all<{ ref: string; seq: number }>();
    for (const { ref, seq } of results) rows.set(ref, seq);
    const last = results.at(-1);
    if (!last || results.length < ROWS) return rows;
    after = last.ref;
  }
}

async function removeAll(
  db: D1Database,
  household: string,
  rows: ReadonlyMap<string, number>,
): Promise<void> {
  const removals = Array.from(rows, ([ref, seq]) => db.prepare(DELETE).bind(household, ref, seq));
  for (let at = 0; at < removals.length; at += STEP) await db.batch(removals.slice(at, at + STEP));
}

/** Removes all rows of the household, with what was derived of them. */
export async function dropHousehold(db: D1Database, household: string): Promise<void> {
  for (;;) {
    const { results } = await db.prepare(DROP).bind(household).all();
    if (results.length < ROWS) return;
  }
}
