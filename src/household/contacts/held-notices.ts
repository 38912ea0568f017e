/**
 * The threads with notices that wait until a member may be disturbed. They are sent at once when the member changes its
 * presence or its hours, since the wait may have ended.
 */
import type { Stores } from "../stores.ts";

export class HeldNotices {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** @param until when the thread asks again by itself, in milliseconds since 1970 */
  add(actor: string, ref: string, until: number, now: number): void {
    this.#sql.exec("DELETE FROM held_notices WHERE until <= ?", now);
    this.#sql.exec(
      "INSERT OR REPLACE INTO held_notices (actor, ref, until) VALUES (?, ?, ?)",
      actor,
      ref,
      until,
    );
  }

  /** Removes and returns the threads of the member. */
  take(actor: string): string[] {
    return this.#sql
      .exec<{ ref: string }>("DELETE FROM held_notices WHERE actor = ? RETURNING ref", actor)
      .toArray()
      .map(({ ref }) => ref);
  }
}

/** Stands for all members of a thread, where it holds its notices because the household is suspended. */
export const ALL_MEMBERS = "*";

/** Lets the threads send what they held while the household was suspended. Run it in the transaction of the change. */
export const releaseSuspendedNotices = (
  stores: Pick<Stores, "heldNotices" | "jobs">,
  now: number,
): void => releaseHeldNotices(stores, ALL_MEMBERS, now);

/** Lets the threads check again whether their notices to the member must wait. Run it in the transaction of the change. */
export function releaseHeldNotices(
  { heldNotices, jobs }: Pick<Stores, "heldNotices" | "jobs">,
  actor: string,
  now: number,
): void {
  for (const ref of heldNotices.take(actor))
    jobs.add("releaseHeld", `release ${actor} ${ref}`, { ref, actor }, now);
}
