/** The threads that owners deleted: their refs stay known, so that a late report of a thread does not bring it back. */
import { writeTime } from "../../mess/times.ts";

export interface DeletedThread {
  ref: string;
  /** ISO 8601, UTC. */
  at: string;
}

/** Rows about a thread, in tables that do not outlive it. */
const ERASE_SQL: readonly string[] = [
  "DELETE FROM threads WHERE ref = ?1",
  "DELETE FROM events WHERE ref = ?1",
  "DELETE FROM dependencies WHERE ref = ?1 OR depends_on = ?1",
  "DELETE FROM sendings WHERE ref = ?1",
  "DELETE FROM heard WHERE ref = ?1",
  "DELETE FROM derived_access WHERE ref = ?1",
  "DELETE FROM observations WHERE ref = ?1",
  "DELETE FROM joins WHERE ref = ?1 OR joined = ?1",
  "DELETE FROM resolutions WHERE resolved = ?1",
  "DELETE FROM context_references WHERE ref = ?1 OR target = ?1",
  "UPDATE schedules SET last = NULL WHERE json_extract(last, '$.ref') = ?1",
];

export class DeletedThreads {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  find(ref: string): DeletedThread | undefined {
    const [row] = this.#sql
      .exec<{ at: number }>("SELECT at FROM deleted_threads WHERE ref = ?", ref)
      .toArray();
    return row && { ref, at: writeTime(row.at, "UTC") };
  }

  /** Removes everything that the household holds about the thread, and records that it was deleted. */
  add(ref: string, now: number): DeletedThread {
    for (const query of ERASE_SQL) this.#sql.exec(query, ref);
    this.#sql.exec("INSERT INTO deleted_threads (ref, at) VALUES (?, ?)", ref, now);
    return { ref, at: writeTime(now, "UTC") };
  }
}
