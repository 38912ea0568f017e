/**
 * Credentials and memberships that have ended, and the threads that are still to end the links and sockets that were
 * made with them. An append asks the thread alone, so the end is pushed there: at once, and by the alarm until every
 * thread has confirmed it.
 */
import { isFinal } from "../../mess/status.ts";
import type { CredentialId } from "../../auth/principal.ts";
import type { AccessEnd, ThreadSummary } from "../../contracts/thread.ts";
import type { ThreadCatalogRow } from "../threads/thread-catalog.ts";
import type { HouseholdJobTable } from "../jobs/job-kinds.ts";
import { FINAL_STATUSES_SQL } from "../threads/final-statuses.ts";

/** Longer than the longest link (decision 65). */
const DERIVED_ACCESS_RETENTION_MS = 32 * 86_400_000;

export class Revocations {
  readonly #sql: SqlStorage;
  readonly #jobs: HouseholdJobTable;

  constructor(sql: SqlStorage, jobs: HouseholdJobTable) {
    this.#sql = sql;
    this.#jobs = jobs;
  }

  /** Notes, before it is made, that the thread will hold a link or a socket of the credential. */
  recordUse(credential: CredentialId, ref: string, now: number): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO derived_access (credential, ref, at) VALUES (?, ?, ?)",
      credential,
      ref,
      now,
    );
  }

  /** Ends what was made with the credential, in every thread that holds something of it. */
  endCredential(credential: CredentialId, now: number): void {
    const used = this.#sql
      .exec<{ ref: string }>(
        "DELETE FROM derived_access WHERE credential = ? RETURNING ref",
        credential,
      )
      .toArray();
    for (const { ref } of used) this.#push(ref, credential, { credential }, now);
  }

  /**
   * Ends the executor's membership in every thread in which it takes part, or was told of, and that has not ended: with
   * the thread, links end too.
   */
  endMembership(executor: string, membership: number, now: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO retired (executor, at) VALUES (?, ?)", executor, now);
    const open = this.#sql
      .exec<{ ref: string }>(
        `SELECT t.ref FROM threads t WHERE t.status NOT IN (${FINAL_STATUSES_SQL}) AND t.ref IN
           (SELECT ref FROM participants WHERE actor = ?1 UNION SELECT ref FROM sendings WHERE actor = ?1)`,
        executor,
      )
      .toArray();
    for (const { ref } of open) this.#push(ref, executor, { executor, membership }, now);
  }

  /** It is an executor again. Links that it had before stay ended. */
  restore(executor: string): void {
    this.#sql.exec("DELETE FROM retired WHERE executor = ?", executor);
  }

  /** A thread that reports only now that a removed executor takes part in it. */
  noticed(
    before: ThreadCatalogRow,
    { ref, status, participants }: ThreadSummary,
    now: number,
  ): void {
    if (isFinal(status) || !this.#hasRetired()) return;
    const known = JSON.parse(before.participants) as string[];
    for (const executor of participants) {
      if (known.includes(executor)) continue;
      const [retired] = this.#sql
        .exec<{ membership: number }>(
          `SELECT m.membership - 1 AS membership FROM retired r JOIN members m ON m.id = r.executor
           WHERE r.executor = ?`,
          executor,
        )
        .toArray();
      if (retired) this.#push(ref, executor, { executor, ...retired }, now);
    }
  }

  /** Forgets uses whose links are over. */
  prune(now: number): void {
    this.#sql.exec("DELETE FROM derived_access WHERE at < ?", now - DERIVED_ACCESS_RETENTION_MS);
  }

  /** One job per thread and subject: a later membership that ends replaces the earlier one. */
  #push(ref: string, subject: string, end: AccessEnd, now: number): void {
    this.#jobs.put("revokeLinks", `revokeLinks ${ref} ${subject}`, { ref, end }, now);
  }

  #hasRetired(): boolean {
    return this.#sql.exec("SELECT 1 FROM retired LIMIT 1").toArray().length > 0;
  }
}
