/**
 * Deletes a thread, for an owner. One transaction deletes all of its rows and leaves a tombstone: the files in R2
 * that are still to be deleted, and the members who may learn that there was a thread.
 */
import { deleteBlobs } from "../attachments/blob-store.ts";
import { refuseInactiveLink } from "../auth/links/inactive-link.ts";
import type { Principal } from "../auth/principal.ts";
import { refuseThreadNotFound } from "../auth/thread-not-found.ts";
import { refuse } from "../mess/errors.ts";
import { isSourceRequestor } from "../mess/sources/request-origin.ts";
import { hasTable } from "../object/migrations.ts";
import { deleteThreadRow } from "../partitions/upsert.ts";
import { reportDeletion } from "./origin-reports.ts";
import type { ThreadTables } from "./migrations.ts";
import { buildSummary } from "./summary/summary.ts";
import type { ThreadLog } from "./thread-log.ts";

type TombstoneRow = { members: string; keys: string };

const findTombstone = (sql: SqlStorage): TombstoneRow | undefined =>
  hasTable(sql, "deleted")
    ? sql.exec<TombstoneRow>("SELECT members, keys FROM deleted").toArray()[0]
    : undefined;

/** The table is created with its row. */
export const isDeleted = (tables: ThreadTables): boolean => tables.has("deleted");

export const refuseDeletedThread = () =>
  refuse("thread_deleted", "the thread was deleted by an owner", "Create a new request.");

/** The refusal for a thread that the viewer cannot see, or that was deleted. */
export function refuseAbsentThread(
  sql: SqlStorage,
  { actor, role, scope, readsAll }: Principal,
): ReturnType<typeof refuse> {
  const tombstone = findTombstone(sql);
  if (!tombstone) return refuseThreadNotFound();
  if (scope !== undefined) return refuseInactiveLink("revoked");
  const members = JSON.parse(tombstone.members) as string[];
  const isReader = readsAll && !members.some(isSourceRequestor);
  return role === "owner" || isReader || members.includes(actor)
    ? refuseDeletedThread()
    : refuseThreadNotFound();
}

/**
 * Empties all tables; an open cursor would prevent dropping them. Without a record, only the tombstone is written, so
 * that the thread is not created afterwards.
 */
function deleteRows(sql: SqlStorage, log: ThreadLog, isCreated: boolean): void {
  const { participants, requestor } = isCreated
    ? buildSummary(log)
    : { participants: [], requestor: "" };
  const members = JSON.stringify([...new Set([...participants, requestor])]);
  const keys = JSON.stringify(isCreated ? log.listBlobKeys() : []);
  const tables = sql
    .exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'",
    )
    .toArray();
  for (const { name } of tables) sql.exec(`DELETE FROM "${name}"`);
  sql.exec("CREATE TABLE deleted (members TEXT NOT NULL, keys TEXT NOT NULL)");
  sql.exec("INSERT INTO deleted (members, keys) VALUES (?, ?)", members, keys);
}

/** Deletes the thread, its files and its row in the index. Repeating it completes what an earlier call began. */
export async function eraseThread(
  env: Pick<Env, "BLOBS" | "INDEX" | "GROUPS" | "SOURCES">,
  storage: Pick<DurableObjectStorage, "sql" | "transactionSync">,
  tables: ThreadTables,
  log: ThreadLog,
  thread: { household: string; ref: string },
  runtime: { isCreated: () => boolean; forget: () => void },
): Promise<void> {
  const { sql } = storage;
  if (!isDeleted(tables) && runtime.isCreated()) await reportDeletion(env, log);
  if (!isDeleted(tables)) {
    const isCreated = runtime.isCreated();
    storage.transactionSync(() => deleteRows(sql, log, isCreated));
    runtime.forget();
  }
  await deleteBlobs(env.BLOBS, JSON.parse(findTombstone(sql)!.keys) as string[]);
  await deleteThreadRow(env.INDEX, thread.household, thread.ref);
  sql.exec("UPDATE deleted SET keys = '[]'");
}
