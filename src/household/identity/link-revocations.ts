/** Executors that were taken out, and the threads whose links of theirs are still to be revoked. */
import { threadStub } from "../../stubs.ts";
import { isFinal } from "../../mess/status.ts";
import type { ThreadSummary } from "../../contracts/thread.ts";
import type { CatalogueRow } from "../threads/thread-catalog.ts";
import { ENDED } from "../threads/final-statuses.ts";
import { pause } from "../jobs/backoff.ts";
import type { Stores } from "../stores.ts";

interface Revocation extends Record<string, SqlStorageValue> {
  ref: string;
  executor: string;
  attempts: number;
}

/** Threads told in one go; the alarm comes again for the rest. */
const AT_ONCE = 50;

export class Retired {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Notes every thread in which it takes part, or was told of, that has not ended: with the thread, links end too. */
  add(executor: string, now: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO retired (executor, at) VALUES (?, ?)", executor, now);
    this.#sql.exec(
      `INSERT OR REPLACE INTO revocations (ref, executor, attempts, due)
       SELECT t.ref, ?1, 0, ?2 FROM threads t WHERE t.status NOT IN (${ENDED}) AND t.ref IN
         (SELECT ref FROM participants WHERE actor = ?1 UNION SELECT ref FROM sendings WHERE actor = ?1)`,
      executor,
      now,
    );
  }

  /** It is an executor again. Links that it had before stay revoked. */
  remove(executor: string): void {
    this.#sql.exec("DELETE FROM retired WHERE executor = ?", executor);
  }

  /** A thread that tells only now that a retired executor takes part in it. */
  noticed(before: CatalogueRow, { ref, status, participants }: ThreadSummary, now: number): void {
    if (isFinal(status) || !this.#hasAny()) return;
    const known = JSON.parse(before.participants) as string[];
    for (const executor of participants) {
      if (known.includes(executor)) continue;
      this.#sql.exec(
        `INSERT OR IGNORE INTO revocations (ref, executor, attempts, due)
         SELECT ?1, ?2, 0, ?3 WHERE EXISTS (SELECT 1 FROM retired WHERE executor = ?2)`,
        ref,
        executor,
        now,
      );
    }
  }

  due(now: number, limit: number): Revocation[] {
    return this.#sql
      .exec<Revocation>("SELECT * FROM revocations WHERE due <= ? ORDER BY due LIMIT ?", now, limit)
      .toArray();
  }

  /** When the next attempt is due, in milliseconds. */
  nextDue(): number | undefined {
    const { due } = this.#sql
      .exec<{ due: number | null }>("SELECT min(due) AS due FROM revocations")
      .one();
    return due ?? undefined;
  }

  done({ ref, executor }: Revocation): void {
    this.#sql.exec("DELETE FROM revocations WHERE ref = ? AND executor = ?", ref, executor);
  }

  postpone({ ref, executor, attempts }: Revocation, now: number): void {
    this.#sql.exec(
      "UPDATE revocations SET attempts = attempts + 1, due = ? WHERE ref = ? AND executor = ?",
      now + pause(attempts),
      ref,
      executor,
    );
  }

  #hasAny(): boolean {
    return this.#sql.exec("SELECT 1 FROM retired LIMIT 1").toArray().length > 0;
  }
}

/** Has the threads revoke what is due. A thread that does not answer is asked again later. */
export async function revokeLinks(
  env: Pick<Env, "THREADS">,
  { settings, retired, credentials }: Stores,
  now: number,
): Promise<void> {
  const household = settings.household().id;
  const actor = credentials.owners()[0] ?? "owner";
  const revoke = async (revocation: Revocation): Promise<void> => {
    try {
      const { ref, executor } = revocation;
      // A refusal says that there is no such link, or no such thread: nothing is left to revoke.
      await threadStub(env, household, ref).revokeLinks(
        { household, actor, role: "owner" },
        { executor },
      );
      retired.done(revocation);
    } catch {
      retired.postpone(revocation, now);
    }
  };
  await Promise.all(retired.due(now, AT_ONCE).map(revoke));
}
