/** Writing a thread's row. All that the row implies is written by the triggers of `migrations/`. */
import type { ThreadSummary } from "../contracts/thread.ts";
import { indexedWords } from "./search-terms.ts";

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

const KEY: readonly string[] = ["household", "ref"];

const upsertWhere = (guard: string): string => `
  INSERT INTO threads (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})
  ON CONFLICT (household, ref) DO UPDATE SET
    ${COLUMNS.filter((column) => !KEY.includes(column))
      .map((column) => `${column} = excluded.${column}`)
      .join(", ")}
  WHERE ${guard}`;

const NEWER = upsertWhere("excluded.seq > threads.seq");
const AS_NEW = upsertWhere("excluded.seq >= threads.seq");

const values = (summary: ThreadSummary): Record<(typeof COLUMNS)[number], unknown> => {
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
    words: indexedWords(summary.text),
  };
};

const bound = (db: D1Database, sql: string, summary: ThreadSummary): D1PreparedStatement => {
  const row = values(summary);
  return db.prepare(sql).bind(...COLUMNS.map((column) => row[column]));
};

/**
 * Writes the thread's row, unless the index holds one of the same or a later `seq`: summaries may come late, twice
 * or out of order. Throws when D1 fails; the thread's outbox tries again.
 */
export async function upsertThread(db: D1Database, summary: ThreadSummary): Promise<void> {
  await bound(db, NEWER, summary).run();
}

/** The statement that writes the row also over one of the same `seq`, which a rebuild does not trust. */
export const rewriteThread = (db: D1Database, summary: ThreadSummary): D1PreparedStatement =>
  bound(db, AS_NEW, summary);
