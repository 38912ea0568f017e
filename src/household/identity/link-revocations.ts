/**
 * Ends the links and sockets in threads when the credential or membership ends with which they were created. An append
 * checks only its own thread, so a job notifies each thread concerned, and is repeated until the thread confirms.
 */
import { isFinal } from "../../mess/status.ts";
import type { CredentialId } from "../../auth/principal.ts";
import type { AccessEnd, ThreadSummary } from "../../contracts/thread.ts";
import { buildParticipantSql, type ThreadCatalogRow } from "../threads/thread-catalog.ts";
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

  /** Records that the thread has a link or socket of the credential. Call it before creating the link or socket. */
  recordUse(credential: CredentialId, ref: string, now: number): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO derived_access (credential, ref, at) VALUES (?, ?, ?)",
      credential,
      ref,
      now,
    );
  }

  /** Ends the links and sockets of the credential in all threads. */
  endCredential(credential: CredentialId, now: number): void {
    const used = this.#sql
      .exec<{ ref: string }>(
        "DELETE FROM derived_access WHERE credential = ? RETURNING ref",
        credential,
      )
      .toArray();
    for (const { ref } of used) this.#addJob(ref, credential, { credential }, now);
  }

  /**
   * Ends the executor's links and sockets in the open threads in which it participates or of which it was notified. In
   * finished threads, links have ended already.
   */
  endMembership(executor: string, membership: number, now: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO retired (executor, at) VALUES (?, ?)", executor, now);
    const open = this.#sql
      .exec<{ ref: string }>(
        `SELECT t.ref FROM threads t WHERE t.status NOT IN (${FINAL_STATUSES_SQL})
           AND (${buildParticipantSql("?1")} OR t.ref IN (SELECT ref FROM sendings WHERE actor = ?1))`,
        executor,
      )
      .toArray();
    for (const { ref } of open) this.#addJob(ref, executor, { executor, membership }, now);
  }

  /** Call it when the member becomes an executor again. Its earlier links stay ended. */
  restore(executor: string): void {
    this.#sql.exec("DELETE FROM retired WHERE executor = ?", executor);
  }

  /** Ends the links of removed executors that became participants before the thread was notified of the removal. */
  endRemovedParticipants(
    before: ThreadCatalogRow,
    { ref, status, participants }: ThreadSummary,
    now: number,
  ): void {
    if (isFinal(status) || !this.#hasRemovedExecutors()) return;
    const known = JSON.parse(before.participants) as string[];
    for (const executor of participants) {
      if (known.includes(executor)) continue;
      const [removed] = this.#sql
        .exec<{ membership: number }>(
          `SELECT m.membership - 1 AS membership FROM retired r JOIN members m ON m.id = r.executor
           WHERE r.executor = ?`,
          executor,
        )
        .toArray();
      if (removed) this.#addJob(ref, executor, { executor, ...removed }, now);
    }
  }

  /** Deletes records whose links have expired. */
  prune(now: number): void {
    this.#sql.exec("DELETE FROM derived_access WHERE at < ?", now - DERIVED_ACCESS_RETENTION_MS);
  }

  /** Adds one job for each thread and subject: the end of a later membership replaces that of an earlier one. */
  #addJob(ref: string, subject: string, end: AccessEnd, now: number): void {
    this.#jobs.put("revokeLinks", `revokeLinks ${ref} ${subject}`, { ref, end }, now);
  }

  #hasRemovedExecutors(): boolean {
    return this.#sql.exec("SELECT 1 FROM retired LIMIT 1").toArray().length > 0;
  }
}
