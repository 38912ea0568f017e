/** The thread catalog: every thread of the household, with the newest summary that it has sent. */
import { parseThreadRef } from "../../mess/refs.ts";
import type { Status } from "../../mess/status.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";

export interface ThreadCatalogRow extends Record<string, SqlStorageValue> {
  n: number;
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
}

/** The `date-serial` of a ref with the serial unpadded, so that `003` and `0003` are equal. */
function toShortRef(ref: string): string | null {
  const parts = parseThreadRef(ref);
  return parts ? `${parts.day}-${parts.serial}` : null;
}

/** Matches the index `threads_unfinished`; true for unfinished threads that no other member holds. */
const OPEN_TO_SQL = `t.status IN ('pending', 'claimed', 'in_progress', 'waiting', 'held', 'retrying',
  'needs_input', 'needs_confirmation') AND (t.executor IS NULL OR t.executor = ?1)`;

/** False for refs whose thread was never created. */
const WAS_CREATED_SQL = "NOT (seq = 0 AND status = 'expired')";

/** Matches the index `threads_held`; true for unfinished threads that a member holds. */
const IS_HELD_SQL = `executor IS NOT NULL AND status IN
  ('claimed', 'in_progress', 'waiting', 'held', 'retrying', 'needs_input', 'needs_confirmation')`;

const serializeParticipants = ({ participants }: ThreadSummary): string =>
  JSON.stringify(participants.toSorted());

/** True if only text was added to the thread since. */
export const isTextOnlyChange = (before: ThreadCatalogRow, summary: ThreadSummary): boolean =>
  before.seq > 0 &&
  before.status === summary.status &&
  before.executor === summary.executor &&
  before.participants === serializeParticipants(summary);

export class ThreadCatalog {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(ref: string): ThreadCatalogRow | undefined {
    return this.#sql
      .exec<ThreadCatalogRow>("SELECT * FROM threads WHERE ref = ?", ref)
      .toArray()[0];
  }

  /** Records an assigned ref whose thread is not created yet. */
  addOpened(ref: string, requestor: string, now: number): void {
    this.#insert(ref, requestor, now);
  }

  /**
   * Stores the summary if it is newer. Returns the row as it was before, or null if it was not newer.
   * @param known the current row; undefined if there is none
   */
  recordSummary(
    summary: ThreadSummary,
    now: number,
    known: ThreadCatalogRow | undefined,
  ): ThreadCatalogRow | null {
    if (!known) this.#insert(summary.ref, summary.requestor, summary.created);
    const before = known ?? this.get(summary.ref)!;
    if (summary.seq <= before.seq) return null;
    const participants = serializeParticipants(summary);
    this.#sql.exec(
      `UPDATE threads SET seq = ?, status = ?, executor = ?, participants = ?, heard = ?,
         change = (SELECT max(change) + 1 FROM threads) WHERE ref = ?`,
      summary.seq,
      summary.status,
      summary.executor,
      participants,
      now,
      summary.ref,
    );
    if (participants !== before.participants)
      this.#addParticipants(summary.ref, summary.participants);
    return before;
  }

  /** The requestor's newest thread, for the target `last` (decision 3). */
  findNewest(requestor: string): string | undefined {
    return this.#sql
      .exec<{ ref: string }>(
        `SELECT ref FROM threads WHERE requestor = ? AND ${WAS_CREATED_SQL}
         ORDER BY opened DESC, n DESC LIMIT 1`,
        requestor,
      )
      .toArray()[0]?.ref;
  }

  /** Threads with the same day and serial, whatever their slug (decision 4). */
  findByShortRef(target: string): ThreadCatalogRow[] {
    const short = toShortRef(target);
    if (short === null || parseThreadRef(target)?.slug !== undefined) return [];
    return this.#sql
      .exec<ThreadCatalogRow>("SELECT * FROM threads WHERE short = ? ORDER BY n", short)
      .toArray();
  }

  /** Number of unfinished threads that each member holds, by member id. */
  countHeldThreads(): Record<string, number> {
    const heldCounts = this.#sql
      .exec<{ executor: string; count: number }>(
        `SELECT executor, count(*) AS count FROM threads WHERE ${IS_HELD_SQL} GROUP BY executor`,
      )
      .toArray();
    return Object.fromEntries(heldCounts.map(({ executor, count }) => [executor, count]));
  }

  /** Unfinished threads that one of the members holds, at most two. */
  findHeldThreads(members: readonly string[]): { actor: string; ref: string }[] {
    return this.#sql
      .exec<{ actor: string; ref: string }>(
        `SELECT executor AS actor, ref FROM threads
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
    const condition = after === undefined ? OPEN_TO_SQL : "t.change > ?3";
    const rows = this.#sql
      .exec<{ ref: string; change: number }>(
        `SELECT t.ref, t.change FROM threads t WHERE ${condition} AND t.requestor <> ?1
           AND EXISTS (SELECT 1 FROM participants p WHERE p.ref = t.ref AND p.actor = ?1)
         ORDER BY t.change LIMIT ?2`,
        actor,
        limit,
        ...(after === undefined ? [] : [after]),
      )
      .toArray();
    const { newest } = this.#sql
      .exec<{ newest: number | null }>("SELECT max(change) AS newest FROM threads")
      .one();
    const last = rows.length === limit ? rows.at(-1)?.change : newest;
    return { refs: rows.map(({ ref }) => ref), cursor: Math.max(after ?? 0, last ?? 0) };
  }

  /**
   * Holders of the threads that match all conditions and that the viewer may see; for threads given by ref, also all
   * members that they were offered to.
   */
  findConcerned(
    viewer: { actor: string; role: string },
    conditions: { refs?: readonly string[]; statuses?: readonly Status[]; since?: number },
  ): string[] {
    const { refs, statuses, since } = conditions;
    const rows = this.#sql
      .exec<{ executor: string | null; requestor: string; participants: string }>(
        `SELECT DISTINCT t.executor, t.requestor, ${refs ? "t.participants" : "'[]' AS participants"} FROM threads t
         WHERE (?1 IS NULL OR t.ref IN (SELECT value FROM json_each(?1)))
           AND (?2 IS NULL OR t.status IN (SELECT value FROM json_each(?2)))
           AND t.heard >= ?3
           AND (?4 = 'owner' OR EXISTS (SELECT 1 FROM participants p WHERE p.ref = t.ref AND p.actor = ?5))`,
        refs ? JSON.stringify(refs) : null,
        statuses ? JSON.stringify(statuses) : null,
        since ?? 0,
        viewer.role,
        viewer.actor,
      )
      .toArray();
    const named = rows.flatMap(({ executor, requestor, participants }) => [
      ...(executor === null ? [] : [executor]),
      ...(JSON.parse(participants) as string[]).filter((one) => one !== requestor),
    ]);
    return [...new Set(named)];
  }

  /** Refs in the order of their assignment, after the given one. */
  listRefs(after: string | null, limit: number): string[] {
    const start = after === null ? 0 : this.get(after)?.n;
    if (start === undefined) return [];
    return this.#sql
      .exec<{ ref: string }>(
        `SELECT ref FROM threads WHERE n > ? AND ${WAS_CREATED_SQL} ORDER BY n LIMIT ?`,
        start,
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
      .exec<{ ref: string }>("SELECT ref FROM threads WHERE heard >= ? ORDER BY n", instant)
      .toArray()
      .map(({ ref }) => ref);
  }

  /** Marks refs as expired whose thread was not created, if assigned at or before the instant; returns them. */
  expireUncreated(openedBy: number): string[] {
    return this.#sql
      .exec<{ ref: string }>(
        `UPDATE threads SET status = 'expired'
         WHERE seq = 0 AND status = 'pending' AND opened <= ? RETURNING ref`,
        openedBy,
      )
      .toArray()
      .map(({ ref }) => ref);
  }

  /** When the oldest ref was assigned whose thread is not created yet. */
  getOldestUncreated(): number | undefined {
    const { opened } = this.#sql
      .exec<{ opened: number | null }>(
        "SELECT min(opened) AS opened FROM threads WHERE seq = 0 AND status = 'pending'",
      )
      .one();
    return opened ?? undefined;
  }

  #insert(ref: string, requestor: string, opened: number): void {
    this.#sql.exec(
      `INSERT INTO threads (ref, short, requestor, opened, heard, seq, status, participants)
       VALUES (?, ?, ?, ?, ?, 0, 'pending', ?)`,
      ref,
      toShortRef(ref),
      requestor,
      opened,
      opened,
      JSON.stringify([requestor]),
    );
    this.#addParticipants(ref, [requestor]);
  }

  #addParticipants(ref: string, participants: readonly string[]): void {
    this.#sql.exec("DELETE FROM participants WHERE ref = ?", ref);
    for (const actor of participants) {
      this.#sql.exec("INSERT OR IGNORE INTO participants (actor, ref) VALUES (?, ?)", actor, ref);
    }
  }
}
