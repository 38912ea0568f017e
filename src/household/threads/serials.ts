/**
 * Serial numbers of threads, one sequence per day (decision 6). A counter would be a row written for each thread, so its
 * row is written once for several: the serials above it are those that the thread catalog has.
 */
import { buildThreadRef } from "../../mess/refs.ts";

/** Serials above the counter that are looked up in the catalog. */
const MAX_UNCOUNTED_SERIALS = 16;

export class Serials {
  readonly #sql: SqlStorage;
  /** The serial after those that were taken last. */
  #next: { day: string; serial: number } | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Takes `count` consecutive serials of the day and returns the first. Call it before the catalog has their threads. */
  take(day: string, count: number): number {
    const first = this.getNext(day);
    const last = first + count - 1;
    if (last - this.#getCounted(day) >= MAX_UNCOUNTED_SERIALS) this.raise(day, last);
    this.#next = { day, serial: last + 1 };
    return first;
  }

  /** The serial that `take` would return next. Serials begin at 1. */
  getNext(day: string): number {
    if (this.#next?.day === day) return this.#next.serial;
    let next = this.#getCounted(day) + 1;
    while (this.#isTaken(day, next)) next++;
    return next;
  }

  /** Makes the day's sequence continue above the serial. */
  raise(day: string, serial: number): void {
    this.#sql.exec(
      `INSERT INTO serials (day, last) VALUES (?, ?)
       ON CONFLICT (day) DO UPDATE SET last = max(last, excluded.last)`,
      day,
      serial,
    );
    this.clearCache();
  }

  /** Call this when a transaction that took serials is rolled back. */
  clearCache(): void {
    this.#next = undefined;
  }

  #getCounted(day: string): number {
    const [row] = this.#sql
      .exec<{ last: number }>("SELECT last FROM serials WHERE day = ?", day)
      .toArray();
    return row?.last ?? 0;
  }

  /**
   * Whether there is or was a thread with this serial. Its ref may have a slug: `-` sorts before `.`, and digits after
   * it.
   */
  #isTaken(day: string, serial: number): boolean {
    const ref = buildThreadRef(day, serial);
    const isIn = (table: string) =>
      this.#sql
        .exec(`SELECT 1 FROM ${table} WHERE ref >= ?1 AND ref < ?1 || '.' LIMIT 1`, ref)
        .toArray().length > 0;
    return isIn("threads") || isIn("deleted_threads");
  }
}
