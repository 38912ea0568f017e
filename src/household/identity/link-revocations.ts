/**
 * Credentials and memberships that have ended, and the threads that are still to end the links and sockets that were
 * made with them. An append asks the thread alone, so the end is pushed there: at once, and by the alarm until every
 * thread has confirmed it.
 */
import { threadStub } from "../../stubs.ts";
import { withTimeout } from "../../object/with-timeout.ts";
import { isFinal } from "../../mess/status.ts";
import type { CredentialId } from "../../auth/principal.ts";
import type { AccessEnd, ThreadSummary } from "../../contracts/thread.ts";
import type { ThreadCatalogRow } from "../threads/thread-catalog.ts";
import { FINAL_STATUSES_SQL } from "../threads/final-statuses.ts";
import { getBackoffMs } from "../jobs/backoff.ts";
import type { Stores } from "../stores.ts";

interface Revocation extends Record<string, SqlStorageValue> {
  ref: string;
  /** A credential, or an executor where `membership` is set. */
  subject: string;
  membership: number | null;
  attempts: number;
}

/** Threads notified in one round, and rounds in one run; the alarm comes again for the rest. */
const THREADS_PER_ROUND = 50;
const MAX_ROUNDS = 20;

/** A thread that hangs does not hold up the others. */
const THREAD_TIMEOUT_MS = 10_000;

/** As long as an API key may be remembered: a thread that was down learns of it no later than an isolate would. */
const MAX_RETRY_DELAY_MS = 30_000;

/** Longer than the longest link (decision 65). */
const DERIVED_ACCESS_KEPT_MS = 32 * 86_400_000;

export class Revocations {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
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
    this.#sql.exec(
      `INSERT OR IGNORE INTO access_ends (ref, subject, due)
       SELECT ref, ?1, ?2 FROM derived_access WHERE credential = ?1`,
      credential,
      now,
    );
    this.#sql.exec("DELETE FROM derived_access WHERE credential = ?", credential);
  }

  /**
   * Ends the executor's membership in every thread in which it takes part, or was told of, and that has not ended: with
   * the thread, links end too.
   */
  endMembership(executor: string, membership: number, now: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO retired (executor, at) VALUES (?, ?)", executor, now);
    this.#sql.exec(
      `INSERT OR REPLACE INTO access_ends (ref, subject, membership, due)
       SELECT t.ref, ?1, ?2, ?3 FROM threads t WHERE t.status NOT IN (${FINAL_STATUSES_SQL}) AND t.ref IN
         (SELECT ref FROM participants WHERE actor = ?1 UNION SELECT ref FROM sendings WHERE actor = ?1)`,
      executor,
      membership,
      now,
    );
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
      this.#sql.exec(
        `INSERT OR IGNORE INTO access_ends (ref, subject, membership, due)
         SELECT ?1, r.executor, m.membership - 1, ?3 FROM retired r JOIN members m ON m.id = r.executor
         WHERE r.executor = ?2`,
        ref,
        executor,
        now,
      );
    }
  }

  due(now: number, limit: number): Revocation[] {
    return this.#sql
      .exec<Revocation>("SELECT * FROM access_ends WHERE due <= ? ORDER BY due LIMIT ?", now, limit)
      .toArray();
  }

  /** When the next attempt is due, in milliseconds. */
  nextDue(): number | undefined {
    const { due } = this.#sql
      .exec<{ due: number | null }>("SELECT min(due) AS due FROM access_ends")
      .one();
    return due ?? undefined;
  }

  /** The membership is compared, since a later one may have ended while the thread was notified of this one. */
  done({ ref, subject, membership }: Revocation): void {
    this.#sql.exec(
      "DELETE FROM access_ends WHERE ref = ? AND subject = ? AND membership IS ?",
      ref,
      subject,
      membership,
    );
  }

  postpone({ ref, subject, attempts }: Revocation, now: number): void {
    this.#sql.exec(
      "UPDATE access_ends SET attempts = attempts + 1, due = ? WHERE ref = ? AND subject = ?",
      now + Math.min(getBackoffMs(attempts), MAX_RETRY_DELAY_MS),
      ref,
      subject,
    );
  }

  /** Forgets uses whose links are over. */
  prune(now: number): void {
    this.#sql.exec("DELETE FROM derived_access WHERE at < ?", now - DERIVED_ACCESS_KEPT_MS);
  }

  #hasRetired(): boolean {
    return this.#sql.exec("SELECT 1 FROM retired LIMIT 1").toArray().length > 0;
  }
}

const endOf = ({ subject, membership }: Revocation): AccessEnd =>
  membership === null ? { credential: subject as CredentialId } : { executor: subject, membership };

/** Has the threads end what is due. One that does not answer is asked again later. */
export async function pushRevocations(
  env: Pick<Env, "THREADS">,
  { settings, revocations }: Stores,
  now: number,
): Promise<void> {
  const household = settings.getHousehold().id;
  const push = async (revocation: Revocation): Promise<void> => {
    try {
      const thread = threadStub(env, household, revocation.ref);
      await withTimeout(THREAD_TIMEOUT_MS, thread.endAccess(endOf(revocation)));
      revocations.done(revocation);
    } catch {
      revocations.postpone(revocation, now);
    }
  };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const due = revocations.due(now, THREADS_PER_ROUND);
    if (due.length === 0) return;
    await Promise.all(due.map(push));
  }
}
