/** Every thread of the household: its ref, and the newest summary that the thread has sent. */
import { parseThreadRef } from "../mess/refs.ts";
import type { Status } from "../mess/status.ts";
import type { ThreadSummary } from "../thread/stub.ts";

export interface CatalogueRow extends Record<string, SqlStorageValue> {
  n: number;
  ref: string;
  requestor: string;
  opened: number;
  /** When the thread last told of itself, by the household's clock. */
  heard: number;
  /** 0 until the thread has told of itself. */
  seq: number;
  status: Status;
  executor: string | null;
  /** JSON list of those who may see the thread. */
  participants: string;
}

/** What `date-serial` of a ref looks like with the serial unpadded, so that `003` and `0003` are one. */
function shortOf(ref: string): string | null {
  const parts = parseThreadRef(ref);
  return parts ? `${parts.day}-${parts.serial}` : null;
}

export class Catalogue {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(ref: string): CatalogueRow | undefined {
    return this.#sql.exec<CatalogueRow>("SELECT * FROM threads WHERE ref = ?", ref).toArray()[0];
  }

  /** Records a ref that was given out and whose thread is yet to be made. */
  open(ref: string, requestor: string, now: number): void {
    this.#insert(ref, requestor, now);
  }

  /** Keeps the summary where it is newer. Returns the row as it was before, or null where it was not newer. */
  record(summary: ThreadSummary, now: number): CatalogueRow | null {
    if (!this.get(summary.ref)) this.#insert(summary.ref, summary.requestor, summary.created);
    const before = this.get(summary.ref)!;
    if (summary.seq <= before.seq) return null;
    const participants = JSON.stringify(summary.participants.toSorted());
    this.#sql.exec(
      `UPDATE threads SET seq = ?, status = ?, executor = ?, participants = ?, heard = ? WHERE ref = ?`,
      summary.seq,
      summary.status,
      summary.executor,
      participants,
      now,
      summary.ref,
    );
    if (participants !== before.participants) this.#admit(summary.ref, summary.participants);
    return before;
  }

  /** The requestor's newest thread: what `last` means (decision 3). */
  newest(requestor: string): string | undefined {
    return this.#sql
      .exec<{ ref: string }>(
        `SELECT ref FROM threads WHERE requestor = ? AND NOT (seq = 0 AND status = 'expired')
         ORDER BY opened DESC, n DESC LIMIT 1`,
        requestor,
      )
      .toArray()[0]?.ref;
  }

  /** Refs with this day and serial whatever their slug (decision 4). */
  withShort(target: string): CatalogueRow[] {
    const short = shortOf(target);
    if (short === null || parseThreadRef(target)?.slug !== undefined) return [];
    return this.#sql
      .exec<CatalogueRow>("SELECT * FROM threads WHERE short = ? ORDER BY n", short)
      .toArray();
  }

  /** Unfinished threads that each member holds, by id. */
  load(): Record<string, number> {
    const held = this.#sql
      .exec<{ executor: string; count: number }>(
        `SELECT executor, count(*) AS count FROM threads WHERE executor IS NOT NULL AND status IN
           ('claimed', 'in_progress', 'waiting', 'held', 'retrying', 'needs_input', 'needs_confirmation')
         GROUP BY executor`,
      )
      .toArray();
    return Object.fromEntries(held.map(({ executor, count }) => [executor, count]));
  }

  /** Refs in the order in which they were given out, after one of them. */
  refs(after: string | null, limit: number): string[] {
    const start = after === null ? 0 : this.get(after)?.n;
    if (start === undefined) return [];
    return this.#sql
      .exec<{ ref: string }>(
        `SELECT ref FROM threads WHERE n > ? AND NOT (seq = 0 AND status = 'expired') ORDER BY n LIMIT ?`,
        start,
        limit,
      )
      .toArray()
      .map(({ ref }) => ref);
  }

  /** Threads that may have changed at or after the instant. */
  heardSince(instant: number): string[] {
    return this.#sql
      .exec<{ ref: string }>("SELECT ref FROM threads WHERE heard >= ? ORDER BY n", instant)
      .toArray()
      .map(({ ref }) => ref);
  }

  /** Marks refs opened at or before the instant whose thread was never made, and returns them. */
  expireUnmade(openedBy: number): string[] {
    return this.#sql
      .exec<{ ref: string }>(
        `UPDATE threads SET status = 'expired'
         WHERE seq = 0 AND status = 'pending' AND opened <= ? RETURNING ref`,
        openedBy,
      )
      .toArray()
      .map(({ ref }) => ref);
  }

  /** When the oldest ref was opened whose thread is still awaited. */
  oldestUnmade(): number | undefined {
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
      shortOf(ref),
      requestor,
      opened,
      opened,
      JSON.stringify([requestor]),
    );
    this.#admit(ref, [requestor]);
  }

  #admit(ref: string, participants: readonly string[]): void {
    this.#sql.exec("DELETE FROM participants WHERE ref = ?", ref);
    for (const actor of participants) {
      this.#sql.exec("INSERT OR IGNORE INTO participants (actor, ref) VALUES (?, ?)", actor, ref);
    }
  }
}
