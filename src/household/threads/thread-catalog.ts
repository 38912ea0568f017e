/** The thread catalog: every thread of the household, with the newest summary that it has sent. */
import { buildSourceRequestorSql } from "../../mess/sources/request-origin.ts";
import { parseThreadRef } from "../../mess/refs.ts";
import { listStatusesIn, type Status } from "../../mess/status.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";
import type { ReadingScope } from "../identity/effective-role.ts";
import { ThreadCounts } from "./thread-counts.ts";

export interface ThreadCatalogRow extends Record<string, SqlStorageValue> {
  ref: string;
  requestor: string;
  opened: number;
  /** When the last summary arrived, by the household's clock, in milliseconds since 1970. */
  heard: number;
  /** 0 until the first summary. */
  seq: number;
  status: Status;
  executor: string | null;
  /** JSON list of the members that may see the thread. */
  participants: string;
  /**
   * JSON list of the thread's suggestions, each `[id, name of its message]`, and with a third item the closed ones: a
   * repeated verdict must reach its thread. Null if there are none.
   */
  suggestions: string | null;
}

/** Statuses of threads that are to be done: stored as the column `open`. */
const OPEN_STATUSES: readonly Status[] = listStatusesIn("received", "executing");

const isOpen = (status: Status): number => (OPEN_STATUSES.includes(status) ? 1 : 0);

/** The serial in a ref that begins with a day. */
const SERIAL_SQL = "CAST(substr(ref, 12) AS INTEGER)";

/** True for participants of the thread `t`. */
export const buildParticipantSql = (actor: string): string =>
  `EXISTS (SELECT 1 FROM json_each(t.participants) WHERE value = ${actor})`;

/** True for requestors whose threads a reader with this scope sees without a part in them. */
export const buildReadableSql = (scope: string, requestor: string): string =>
  `(${scope} = 'all' OR (${scope} = 'open' AND NOT ${buildSourceRequestorSql(requestor)}))`;

/** False for refs whose thread was never created. */
const WAS_CREATED_SQL = "NOT (seq = 0 AND status = 'expired')";

/** Matches the index `threads_held`; true for open threads that a member holds. */
const IS_HELD_SQL = "executor IS NOT NULL AND open = 1 AND status <> 'pending'";

/** Exported for a test of its cost: it runs with every request where a member has a limit. */
export const COUNT_HELD_SQL = `SELECT executor, count(*) AS count FROM threads INDEXED BY threads_held
  WHERE ${IS_HELD_SQL} GROUP BY executor`;

/** A client's own id of a request, and the digest of the request. */
export interface ClientRequestId {
  id: string;
  /** Empty for an imported thread, which no request can repeat. */
  digest: string;
}

/** Matches the index `threads_by_change`; true for refs whose thread is not created yet. */
const IS_UNCREATED_SQL = "open = 1 AND change = 0";

/** The days in which the newest thread of a requestor is looked for first. */
const RECENT_MS = 2 * 86_400_000;

/** The open suggestions of the summary, then those that were open before, newest first. */
function serializeSuggestions(
  { suggestions: open = [] }: ThreadSummary,
  before: string | null,
): string | null {
  const known = JSON.parse(before ?? "[]") as string[][];
  const closed = known
    .filter(([, name]) => !open.some(([, made_in]) => made_in === name))
    .map(([id, name]) => [id, name, "closed"]);
  const all = [...open, ...closed.slice(0, MAX_CLOSED_SUGGESTIONS)];
  return all.length > 0 ? JSON.stringify(all) : null;
}

/** Of one thread, and of all together. */
const MAX_CLOSED_SUGGESTIONS = 16;
const MAX_LISTED_SUGGESTIONS = 500;

const serializeParticipants = ({ participants }: ThreadSummary): string =>
  JSON.stringify(participants.toSorted());

interface SuggestionRow extends Record<string, SqlStorageValue> {
  requestor: string;
  ref: string;
  id: string;
  name: string;
}

const SUGGESTIONS_SQL =
  "SELECT requestor, ref, s.value ->> 0 AS id, s.value ->> 1 AS name FROM threads INDEXED BY";

export class ThreadCatalog {
  readonly counts: ThreadCounts;
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.counts = new ThreadCounts(sql);
  }

  get(ref: string): ThreadCatalogRow | undefined {
    return this.#sql
      .exec<ThreadCatalogRow>("SELECT * FROM threads WHERE ref = ?", ref)
      .toArray()[0];
  }

  /** Records an assigned ref whose thread is not created yet. */
  addOpened(ref: string, requestor: string, now: number, client?: ClientRequestId): void {
    this.#insert(ref, requestor, now, client);
  }

  /**
   * Stores the summary if it is newer. Returns the row as it was before, or null if it was not newer. Columns that stay
   * the same are not set, because SQLite writes the entries of every index that has a column which is set.
   * @param known the current row; undefined if there is none
   */
  recordSummary(
    summary: ThreadSummary,
    now: number,
    known: ThreadCatalogRow | undefined,
  ): ThreadCatalogRow | null {
    const { ref, requestor, created, client_id, seq, status, executor } = summary;
    const client = client_id === null ? undefined : { id: client_id, digest: "" };
    if (!known) this.#insert(ref, requestor, created, client);
    const before = known ?? this.get(ref)!;
    if (seq <= before.seq) return null;
    const suggestions = serializeSuggestions(summary, before.suggestions);
    const values: Record<string, SqlStorageValue> = {
      seq,
      heard: now,
      change: this.#getLastChange() + 1,
      participants: serializeParticipants(summary),
      ...(status === before.status ? {} : { status }),
      ...(isOpen(status) === isOpen(before.status) ? {} : { open: isOpen(status) }),
      ...(executor === before.executor ? {} : { executor }),
      ...(suggestions === before.suggestions ? {} : { suggestions }),
    };
    // The column names are keys of this method, never input.
    const columns = Object.keys(values).map((column) => `${column} = ?`);
    this.#sql.exec(
      `UPDATE threads SET ${columns.join(", ")} WHERE ref = ?`,
      ...Object.values(values),
      ref,
    );
    if (values["open"] !== undefined) this.counts.setOpen(before.requestor, isOpen(status) === 1);
    return before;
  }

  #getLastChange(): number {
    const { last } = this.#sql
      .exec<{ last: number | null }>(
        `SELECT max(change) AS last FROM (
           SELECT max(change) AS change FROM threads WHERE open = 0
           UNION ALL SELECT max(change) FROM threads WHERE open = 1)`,
      )
      .one();
    return last ?? 0;
  }

  /** The requestor's newest thread, for the target `last` (decision 3). Reads the refs of the last days first. */
  findNewest(requestor: string, now: number): string | undefined {
    const recentDay = new Date(now - RECENT_MS).toISOString().slice(0, 10);
    return this.#findNewestSince(recentDay, requestor) ?? this.#findNewestSince("", requestor);
  }

  #findNewestSince(day: string, requestor: string): string | undefined {
    return this.#sql
      .exec<{ ref: string }>(
        `SELECT ref FROM threads WHERE ref >= ? AND requestor = ? AND ${WAS_CREATED_SQL}
         ORDER BY opened DESC, ${SERIAL_SQL} DESC LIMIT 1`,
        day,
        requestor,
      )
      .toArray()[0]?.ref;
  }

  /** Threads with the same day and serial, whatever their slug and padding (decision 4). */
  findByShortRef(target: string): ThreadCatalogRow[] {
    const short = parseThreadRef(target);
    if (!short || short.slug !== undefined) return [];
    return this.#sql
      .exec<ThreadCatalogRow>(
        `SELECT * FROM threads WHERE ref >= ?1 || '-' AND ref < ?1 || '.' AND ${SERIAL_SQL} = ?2
         ORDER BY opened, ref`,
        short.day,
        short.serial,
      )
      .toArray()
      .filter(({ ref }) => parseThreadRef(ref)?.serial === short.serial);
  }

  /** Open threads that have this client id, whoever gave it. Reads the open threads only. */
  findOpenByClientId(clientId: string): ThreadCatalogRow[] {
    return this.#sql
      .exec<ThreadCatalogRow>(
        `SELECT * FROM threads INDEXED BY threads_by_change
         WHERE open = 1 AND client_id = ? ORDER BY opened, ref`,
        clientId,
      )
      .toArray();
  }

  /** The open suggestions of all threads. Reads the open threads only. */
  listOpenSuggestions(): SuggestionRow[] {
    return this.#sql
      .exec<SuggestionRow>(
        `${SUGGESTIONS_SQL} threads_by_change, json_each(suggestions) AS s
         WHERE open = 1 AND s.value ->> 2 IS NULL ORDER BY ref, s.key`,
      )
      .toArray();
  }

  /** The suggestions of the newest threads, open or not, newest thread first. */
  listNewestSuggestions(): SuggestionRow[] {
    return this.#sql
      .exec<SuggestionRow>(
        `${SUGGESTIONS_SQL} threads_with_suggestions, json_each(suggestions) AS s
         WHERE suggestions IS NOT NULL ORDER BY ref DESC, s.key LIMIT ?`,
        MAX_LISTED_SUGGESTIONS,
      )
      .toArray();
  }

  /** Number of unfinished threads that each member holds, by member id. */
  countHeldThreads(): Record<string, number> {
    const heldCounts = this.#sql
      .exec<{ executor: string; count: number }>(COUNT_HELD_SQL)
      .toArray();
    return Object.fromEntries(heldCounts.map(({ executor, count }) => [executor, count]));
  }

  /** Unclaimed open threads that one of the members was offered, and that were opened before the given one. */
  countWaiting(members: readonly string[], before: { ref: string; opened: number }): number {
    return this.#sql
      .exec<{ count: number }>(
        `SELECT count(*) AS count FROM threads AS t
         WHERE open = 1 AND executor IS NULL AND status = 'pending' AND (opened, ref) < (?, ?)
           AND EXISTS (SELECT 1 FROM json_each(t.participants)
             WHERE value <> t.requestor AND value IN (SELECT value FROM json_each(?)))`,
        before.opened,
        before.ref,
        JSON.stringify(members),
      )
      .one().count;
  }

  /** Unfinished threads that one of the members holds, at most two. */
  findHeldThreads(members: readonly string[]): { actor: string; ref: string }[] {
    return this.#sql
      .exec<{ actor: string; ref: string }>(
        `SELECT executor AS actor, ref FROM threads INDEXED BY threads_held
         WHERE ${IS_HELD_SQL} AND executor IN (SELECT value FROM json_each(?)) LIMIT 2`,
        JSON.stringify(members),
      )
      .toArray();
  }

  /**
   * Threads that were offered to the member and are open, or that it holds. After a cursor: all threads offered to it
   * that have changed since, finished ones included. Ordered by last change; continue from the returned `cursor`.
   */
  findTasks(
    actor: string,
    after: number | undefined,
    limit: number,
  ): { refs: string[]; cursor: number } {
    const isMember = `t.requestor <> ?1 AND ${buildParticipantSql("?1")}`;
    const list = (condition: string) =>
      `SELECT ref, change FROM (SELECT t.ref, t.change FROM threads t
         WHERE ${condition} AND ${isMember} ORDER BY t.change LIMIT ?2)`;
    const query =
      after === undefined
        ? list("t.open = 1 AND (t.executor IS NULL OR t.executor = ?1)")
        : `${list("t.open = 0 AND t.change > ?3")} UNION ALL ${list("t.open = 1 AND t.change > ?3")}`;
    const rows = this.#sql
      .exec<{ ref: string; change: number }>(
        `${query} ORDER BY change LIMIT ?2`,
        actor,
        limit,
        ...(after === undefined ? [] : [after]),
      )
      .toArray();
    const newest = this.#getLastChange();
    const last = rows.length === limit ? rows.at(-1)?.change : newest;
    return { refs: rows.map(({ ref }) => ref), cursor: Math.max(after ?? 0, last ?? 0) };
  }

  /**
   * Holders of the threads that match all conditions and that the viewer may see; for threads given by ref, also all
   * members that they were offered to.
   */
  findConcerned(
    viewer: { actor: string; reads: ReadingScope },
    conditions: { refs?: readonly string[]; statuses?: readonly Status[]; since?: number },
  ): string[] {
    const { refs, statuses, since } = conditions;
    const rows = this.#sql
      .exec<{ executor: string | null; requestor: string; participants: string }>(
        `SELECT DISTINCT t.executor, t.requestor, ${refs ? "t.participants" : "'[]' AS participants"} FROM threads t
         WHERE (?1 IS NULL OR t.ref IN (SELECT value FROM json_each(?1)))
           AND (?2 IS NULL OR t.status IN (SELECT value FROM json_each(?2)))
           AND t.heard >= ?3
           AND (${buildReadableSql("?4", "t.requestor")} OR ${buildParticipantSql("?5")})`,
        refs ? JSON.stringify(refs) : null,
        statuses ? JSON.stringify(statuses) : null,
        since ?? 0,
        viewer.reads,
        viewer.actor,
      )
      .toArray();
    const named = rows.flatMap(({ executor, requestor, participants }) => [
      ...(executor === null ? [] : [executor]),
      ...(JSON.parse(participants) as string[]).filter((one) => one !== requestor),
    ]);
    return [...new Set(named)];
  }

  /** Refs in their own order, after the given one. */
  listRefs(after: string | null, limit: number): string[] {
    return this.#sql
      .exec<{ ref: string }>(
        `SELECT ref FROM threads WHERE ref > ? AND ${WAS_CREATED_SQL} ORDER BY ref LIMIT ?`,
        after ?? "",
        limit,
      )
      .toArray()
      .map(({ ref }) => ref);
  }

  /** Those of the refs that belong to no thread. */
  findUnknown(refs: readonly string[]): string[] {
    return this.#sql
      .exec<{ ref: string }>(
        `SELECT value AS ref FROM json_each(?)
         WHERE NOT EXISTS (SELECT 1 FROM threads WHERE ref = value AND ${WAS_CREATED_SQL})`,
        JSON.stringify(refs),
      )
      .toArray()
      .map(({ ref }) => ref);
  }

  /** Threads that may have changed at or after the instant. */
  listChangedSince(instant: number): string[] {
    return this.#sql
      .exec<{ ref: string }>("SELECT ref FROM threads WHERE heard >= ? ORDER BY ref", instant)
      .toArray()
      .map(({ ref }) => ref);
  }

  /** Marks refs as expired whose thread was not created, if assigned at or before the instant; returns them. */
  expireUncreated(openedBy: number): string[] {
    this.counts.clearCache();
    return this.#sql
      .exec<{ ref: string }>(
        `UPDATE threads SET status = 'expired', open = 0
         WHERE ${IS_UNCREATED_SQL} AND opened <= ? RETURNING ref`,
        openedBy,
      )
      .toArray()
      .map(({ ref }) => ref);
  }

  /** When the oldest ref was assigned whose thread is not created yet. */
  getOldestUncreated(): number | undefined {
    const { opened } = this.#sql
      .exec<{ opened: number | null }>(
        `SELECT min(opened) AS opened FROM threads WHERE ${IS_UNCREATED_SQL}`,
      )
      .one();
    return opened ?? undefined;
  }

  #insert(ref: string, requestor: string, opened: number, client?: ClientRequestId): void {
    this.#sql.exec(
      `INSERT INTO threads
         (ref, requestor, opened, heard, seq, status, open, participants, change, client_id, digest)
       VALUES (?, ?, ?, ?, 0, 'pending', 1, ?, 0, ?, ?)`,
      ref,
      requestor,
      opened,
      opened,
      JSON.stringify([requestor]),
      client?.id ?? null,
      client?.digest ?? null,
    );
    this.counts.add(ref, requestor);
  }
}
