/** The names that senders give to their requests, and calls that may come twice (decision 9). */
import type { AssignedRequest } from "./open-threads.ts";

/** How long the same id with the same body means the same thread, in milliseconds. */
const SAME_REQUEST_MS = 24 * 60 * 60 * 1000;
/** Requests that are looked at for the ids used last. */
const MAX_RECENT_REQUESTS = 200;

export class ClientIds {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The ref that this very request was given within the last 24 hours. */
  findRepeated(actor: string, clientId: string, digest: string, now: number): string | undefined {
    return this.#sql
      .exec<{ ref: string }>(
        `SELECT ref FROM client_ids WHERE actor = ? AND client_id = ? AND digest = ? AND at > ?
         ORDER BY at DESC, n DESC LIMIT 1`,
        actor,
        clientId,
        digest,
        now - SAME_REQUEST_MS,
      )
      .toArray()[0]?.ref;
  }

  /** What the actor's id means now: the newest thread of that name. */
  findNewest(actor: string, clientId: string): string | undefined {
    return this.#sql
      .exec<{ ref: string }>(
        `SELECT ref FROM client_ids WHERE actor = ? AND client_id = ? ORDER BY at DESC, n DESC LIMIT 1`,
        actor,
        clientId,
      )
      .toArray()[0]?.ref;
  }

  /** The ids that the actor's last requests had, each once. */
  listRecent(actor: string, limit: number): string[] {
    return this.#sql
      .exec<{ client_id: string }>(
        `SELECT client_id FROM
           (SELECT client_id, n FROM client_ids WHERE actor = ? ORDER BY n DESC LIMIT ?)
         GROUP BY client_id ORDER BY max(n) DESC LIMIT ?`,
        actor,
        MAX_RECENT_REQUESTS,
        limit,
      )
      .toArray()
      .map(({ client_id }) => client_id);
  }

  /** `digest` is empty for an imported thread, which no request repeats. */
  add(actor: string, clientId: string, digest: string, ref: string, at: number): void {
    this.#sql.exec(
      "INSERT INTO client_ids (actor, client_id, digest, ref, at) VALUES (?, ?, ?, ?, ?)",
      actor,
      clientId,
      digest,
      ref,
      at,
    );
  }
}

/** What an `Idempotency-Key` of an actor has led to. Kept as long as the threads. */
export class IdempotentCalls {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(actor: string, key: string): { digests: string[]; refs: string[] } | undefined {
    const [row] = this.#sql
      .exec<{ digests: string; refs: string }>(
        "SELECT digests, refs FROM calls WHERE actor = ? AND key = ?",
        actor,
        key,
      )
      .toArray();
    return row && { digests: JSON.parse(row.digests), refs: JSON.parse(row.refs) };
  }

  add(
    actor: string,
    key: string,
    requests: readonly Pick<AssignedRequest, "digest" | "ref">[],
  ): void {
    this.#sql.exec(
      "INSERT INTO calls (actor, key, digests, refs) VALUES (?, ?, ?, ?)",
      actor,
      key,
      JSON.stringify(requests.map(({ digest }) => digest)),
      JSON.stringify(requests.map(({ ref }) => ref)),
    );
  }

  /** What the target meant when the call came first. */
  findResolved(actor: string, key: string, target: string): string | undefined {
    return this.#sql
      .exec<{ resolved: string }>(
        "SELECT resolved FROM resolutions WHERE actor = ? AND key = ? AND target = ?",
        actor,
        key,
        target,
      )
      .toArray()[0]?.resolved;
  }

  recordResolved(actor: string, key: string, target: string, resolved: string): void {
    this.#sql.exec(
      "INSERT OR IGNORE INTO resolutions (actor, key, target, resolved) VALUES (?, ?, ?, ?)",
      actor,
      key,
      target,
      resolved,
    );
  }
}
