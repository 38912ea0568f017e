/** Push subscriptions: the browsers in which members take push messages. */
import type { PushSubscription } from "../../channels/push/config.ts";

/** Older subscriptions of the member are deleted. */
const MAX_BROWSERS_PER_MEMBER = 20;

export class PushSubscriptions {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Stores a subscription. It belongs to the member that subscribed last in this browser. */
  add(
    actor: string,
    subscription: PushSubscription,
    session: string | undefined,
    now: number,
  ): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO subscriptions (endpoint, actor, keys, at, session) VALUES (?, ?, ?, ?, ?)",
      subscription.endpoint,
      actor,
      JSON.stringify(subscription.keys),
      now,
      session ?? null,
    );
    this.#sql.exec(
      `DELETE FROM subscriptions WHERE actor = ?1 AND endpoint NOT IN
         (SELECT endpoint FROM subscriptions WHERE actor = ?1 ORDER BY at DESC LIMIT ?2)`,
      actor,
      MAX_BROWSERS_PER_MEMBER,
    );
  }

  remove(actor: string, endpoint: string): boolean {
    return (
      this.#sql.exec("DELETE FROM subscriptions WHERE actor = ? AND endpoint = ?", actor, endpoint)
        .rowsWritten > 0
    );
  }

  /** Removes the subscriptions of a session that has ended. */
  removeOfSession(session: string): void {
    this.#sql.exec("DELETE FROM subscriptions WHERE session = ?", session);
  }

  removeAll(actor: string): void {
    this.#sql.exec("DELETE FROM subscriptions WHERE actor = ?", actor);
  }

  list(actor: string): PushSubscription[] {
    return this.#sql
      .exec<{ endpoint: string; keys: string }>(
        "SELECT endpoint, keys FROM subscriptions WHERE actor = ? ORDER BY at, endpoint",
        actor,
      )
      .toArray()
      .map(({ endpoint, keys }) => ({
        endpoint,
        keys: JSON.parse(keys) as PushSubscription["keys"],
      }));
  }
}
