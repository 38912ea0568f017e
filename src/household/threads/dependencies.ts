/** Which thread waits for which (decision 42), and whom the end of one is still to be told. */
import { isFinal, type Status } from "../../mess/status.ts";
import { getBackoffMs } from "../jobs/backoff.ts";

export type FailurePolicy = "hold" | "cancel" | "proceed";

/** A message to `ref` that its `dependency` has ended. */
export interface DependencyEnd extends Record<string, SqlStorageValue> {
  ref: string;
  dependency: string;
  status: Status;
  attempts: number;
}

export class Dependencies {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  add(ref: string, dependsOn: string, policy: FailurePolicy): void {
    this.#sql.exec(
      "INSERT OR IGNORE INTO dependencies (ref, depends_on, policy) VALUES (?, ?, ?)",
      ref,
      dependsOn,
      policy,
    );
  }

  /**
   * What the thread waits for at this moment: everything not completed, but for what has failed where the
   * request goes on without it.
   */
  listBlocking(ref: string): string[] {
    return this.#sql
      .exec<{ depends_on: string; policy: FailurePolicy; status: Status }>(
        `SELECT d.depends_on, d.policy, t.status FROM dependencies d JOIN threads t ON t.ref = d.depends_on
         WHERE d.ref = ? ORDER BY t.n`,
        ref,
      )
      .toArray()
      .filter(({ policy, status }) =>
        isFinal(status) ? status !== "completed" && policy !== "proceed" : true,
      )
      .map(({ depends_on }) => depends_on);
  }

  /** Notes what `ref` is to be told of dependencies that had ended badly before it was opened. */
  noteFailedDependencies(ref: string, now: number): void {
    for (const dependency of this.listBlocking(ref)) {
      const { status } = this.#sql
        .exec<{ status: Status }>("SELECT status FROM threads WHERE ref = ?", dependency)
        .one();
      if (isFinal(status)) this.#addNotification(ref, dependency, status, now);
    }
  }

  /** Notes that all who wait for `dependency` are to be told of its end. */
  noteEnd(dependency: string, status: Status, now: number): void {
    const waiting = this.#sql
      .exec<{ ref: string }>("SELECT ref FROM dependencies WHERE depends_on = ?", dependency)
      .toArray();
    for (const { ref } of waiting) this.#addNotification(ref, dependency, status, now);
  }

  /** Everything that waits for one of the threads, directly or through others. */
  listWaiting(refs: readonly string[]): Set<string> {
    const found = new Set<string>();
    const left = [...refs];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      for (const ref of this.#listDependents(next)) {
        if (found.has(ref)) continue;
        found.add(ref);
        left.push(ref);
      }
    }
    return found;
  }

  /** Whoever waits for the thread waits for those that replace it. Returns who that is. */
  repoint(old: string, refs: readonly string[]): string[] {
    const waiting = this.#listDependents(old);
    for (const ref of refs)
      this.#sql.exec(
        `INSERT OR IGNORE INTO dependencies (ref, depends_on, policy)
         SELECT ref, ?, policy FROM dependencies WHERE depends_on = ?`,
        ref,
        old,
      );
    this.#sql.exec("DELETE FROM dependencies WHERE depends_on = ?", old);
    return waiting;
  }

  #listDependents(ref: string): string[] {
    return this.#sql
      .exec<{ ref: string }>("SELECT ref FROM dependencies WHERE depends_on = ?", ref)
      .toArray()
      .map((row) => row.ref);
  }

  /** What can be told now: the thread has been made, and is not waiting for another attempt. */
  listDue(now: number, limit: number): DependencyEnd[] {
    return this.#sql
      .exec<DependencyEnd>(
        `SELECT u.ref, u.dependency, u.status, u.attempts FROM unblocks u JOIN threads t ON t.ref = u.ref
         WHERE t.seq > 0 AND u.due <= ? ORDER BY u.due LIMIT ?`,
        now,
        limit,
      )
      .toArray();
  }

  /** When the next attempt is due, in milliseconds; undefined when nobody is to be told. */
  getNextDue(): number | undefined {
    const { due } = this.#sql
      .exec<{ due: number | null }>(
        "SELECT min(u.due) AS due FROM unblocks u JOIN threads t ON t.ref = u.ref WHERE t.seq > 0",
      )
      .one();
    return due ?? undefined;
  }

  markNotified({ ref, dependency, status }: DependencyEnd): void {
    this.#sql.exec(
      "DELETE FROM unblocks WHERE ref = ? AND dependency = ? AND status = ?",
      ref,
      dependency,
      status,
    );
  }

  postpone({ ref, dependency, attempts }: DependencyEnd, now: number): void {
    this.#sql.exec(
      "UPDATE unblocks SET attempts = attempts + 1, due = ? WHERE ref = ? AND dependency = ?",
      now + getBackoffMs(attempts),
      ref,
      dependency,
    );
  }

  /** Gives up on telling a thread that was never made. */
  abandon(ref: string): void {
    this.#sql.exec("DELETE FROM unblocks WHERE ref = ?", ref);
  }

  #addNotification(ref: string, dependency: string, status: Status, now: number): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO unblocks (ref, dependency, status, attempts, due) VALUES (?, ?, ?, 0, ?)",
      ref,
      dependency,
      status,
      now,
    );
  }
}
