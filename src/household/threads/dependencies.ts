/** The dependencies between threads (decision 42), and the jobs that notify a thread when a dependency ends. */
import { isFinal, type Status } from "../../mess/status.ts";
import type { HouseholdJobTable } from "../jobs/job-kinds.ts";

export type FailurePolicy = "hold" | "cancel" | "proceed";

export class Dependencies {
  readonly #sql: SqlStorage;
  readonly #jobs: HouseholdJobTable;

  constructor(sql: SqlStorage, jobs: HouseholdJobTable) {
    this.#sql = sql;
    this.#jobs = jobs;
  }

  add(ref: string, dependsOn: string, policy: FailurePolicy): void {
    this.#sql.exec(
      "INSERT OR IGNORE INTO dependencies (ref, depends_on, policy) VALUES (?, ?, ?)",
      ref,
      dependsOn,
      policy,
    );
  }

  /** Lists the dependencies that block the thread now. With the policy `proceed`, a failed one does not block. */
  listBlocking(ref: string): string[] {
    return this.#sql
      .exec<{ depends_on: string; policy: FailurePolicy; status: Status }>(
        `SELECT d.depends_on, d.policy, t.status FROM dependencies d JOIN threads t ON t.ref = d.depends_on
         WHERE d.ref = ? ORDER BY t.opened, t.ref`,
        ref,
      )
      .toArray()
      .filter(({ policy, status }) =>
        isFinal(status) ? status !== "completed" && policy !== "proceed" : true,
      )
      .map(({ depends_on }) => depends_on);
  }

  /** Call it when the thread is created: notifies it of the dependencies that ended before. */
  notifyCreated(ref: string, now: number): void {
    const dependencies = this.#sql
      .exec<{ depends_on: string; status: Status }>(
        `SELECT d.depends_on, t.status FROM dependencies d JOIN threads t ON t.ref = d.depends_on
         WHERE d.ref = ?`,
        ref,
      )
      .toArray();
    for (const { depends_on, status } of dependencies)
      if (isFinal(status)) this.#addNotification(ref, depends_on, status, now);
  }

  /** Notifies the dependent threads that exist. `notifyCreated` notifies the others once they are created. */
  notifyDependents(dependency: string, status: Status, now: number): void {
    const dependents = this.#sql
      .exec<{ ref: string }>(
        `SELECT d.ref FROM dependencies d JOIN threads t ON t.ref = d.ref
         WHERE d.depends_on = ? AND t.seq > 0`,
        dependency,
      )
      .toArray();
    for (const { ref } of dependents) this.#addNotification(ref, dependency, status, now);
  }

  /** Lists the threads that depend on one of `refs`, directly or through others. */
  listAllDependents(refs: readonly string[]): Set<string> {
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

  /** Replaces the dependency `old` by `refs` in all dependent threads, and returns those threads. */
  replaceDependency(old: string, refs: readonly string[]): string[] {
    const dependents = this.#listDependents(old);
    for (const ref of refs)
      this.#sql.exec(
        `INSERT OR IGNORE INTO dependencies (ref, depends_on, policy)
         SELECT ref, ?, policy FROM dependencies WHERE depends_on = ?`,
        ref,
        old,
      );
    this.#sql.exec("DELETE FROM dependencies WHERE depends_on = ?", old);
    return dependents;
  }

  #listDependents(ref: string): string[] {
    return this.#sql
      .exec<{ ref: string }>("SELECT ref FROM dependencies WHERE depends_on = ?", ref)
      .toArray()
      .map((row) => row.ref);
  }

  #addNotification(ref: string, dependency: string, status: Status, now: number): void {
    const queue = `unblock ${ref} ${dependency}`;
    this.#jobs.put("unblock", queue, { ref, dependency, status }, now);
  }
}
