/** Waits that a client polls as tasks and has cancelled. Any isolate may get the next poll, so they are stored. */
import type { GroupTables } from "./schema.ts";

/** Longer than a wait lasts and its result can be read. */
const KEPT_MS = 2 * 3_600_000;
const MAX_KEPT_PER_MEMBER = 50;

export class CancelledWaits {
  readonly #tables: GroupTables;

  constructor(tables: GroupTables) {
    this.#tables = tables;
  }

  /** @param member `key` of the member that waits */
  add(member: string, wait: string, now: number): void {
    this.#tables.run("cancelled_waits", "DELETE FROM cancelled_waits WHERE at < ?", now - KEPT_MS);
    this.#tables.insert(
      "cancelled_waits",
      "INSERT OR IGNORE INTO cancelled_waits (member, wait, at) VALUES (?, ?, ?)",
      member,
      wait,
      now,
    );
    this.#tables.run(
      "cancelled_waits",
      `DELETE FROM cancelled_waits WHERE member = ?1 AND wait IN
       (SELECT wait FROM cancelled_waits WHERE member = ?1 ORDER BY at DESC, wait LIMIT -1 OFFSET ?2)`,
      member,
      MAX_KEPT_PER_MEMBER,
    );
  }

  has(member: string, wait: string): boolean {
    const query = "SELECT 1 FROM cancelled_waits WHERE member = ? AND wait = ?";
    return this.#tables.run("cancelled_waits", query, member, wait).length > 0;
  }
}
