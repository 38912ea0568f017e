/** Writes a thread's row in the index. Triggers in `migrations/` write the derived rows. */
import type { ThreadSummary } from "../contracts/thread.ts";
import { buildIndexedTerms } from "./search-terms.ts";

const COLUMNS = [
  "household",
  "ref",
  "client_id",
  "seq",
  "status",
  "partition",
  "requestor",
  "executor",
  "participants",
  "intent",
  "priority",
  "zone",
  "created",
  "updated",
  "expires",
  "words",
] as const;

const KEY_COLUMNS: readonly string[] = ["household", "ref"];

const buildUpsert = (guard: string): string => `
  INSERT INTO threads (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})
  ON CONFLICT (household, ref) DO UPDATE SET
    ${COLUMNS.filter((column) => !KEY_COLUMNS.includes(column))
      .map((column) => `${column} = excluded.${column}`)
      .join(", ")}
  WHERE ${guard}`;

const UPSERT_NEWER_SQL = buildUpsert("excluded.seq > threads.seq");
const UPSERT_SAME_OR_NEWER_SQL = buildUpsert("excluded.seq >= threads.seq");

const toValues = (summary: ThreadSummary): Record<(typeof COLUMNS)[number], unknown> => {
  const { household, ref, client_id, seq, status, partition, requestor, executor } = summary;
  const { intent, priority, zone, created, updated, expires } = summary;
  const actors = [...summary.participants, requestor, ...(executor === null ? [] : [executor])];
  return {
    household,
    ref,
    client_id,
    seq,
    status,
    partition,
    requestor,
    executor,
    participants: JSON.stringify([...new Set(actors)].toSorted()),
    intent,
    priority,
    zone,
    created,
    updated,
    expires,
    words: buildIndexedTerms(summary.text),
  };
};

const bindRow = (db: D1Database, sql: string, summary: ThreadSummary): D1PreparedStatement => {
  const row = toValues(summary);
  return db.prepare(sql).bind(...COLUMNS.map((column) => row[column]));
};

/**
 * Writes the thread's row, unless the index has one with the same or a later `seq`, since summaries may arrive late,
 * twice or out of order. Throws when D1 fails; the thread's job retries.
 */
export async function upsertThread(db: D1Database, summary: ThreadSummary): Promise<void> {
  await bindRow(db, UPSERT_NEWER_SQL, summary).run();
}

/** Builds the statement that also replaces a row with the same `seq`, which may be wrong before a rebuild. */
export const buildRewrite = (db: D1Database, summary: ThreadSummary): D1PreparedStatement =>
  bindRow(db, UPSERT_SAME_OR_NEWER_SQL, summary);

/** Deletes the row of a deleted thread; triggers delete the derived rows. */
export async function deleteThreadRow(
  db: D1Database,
  household: string,
  ref: string,
): Promise<void> {
  await db
    .prepare("DELETE FROM threads WHERE household = ? AND ref = ?")
    .bind(household, ref)
    .run();
}
