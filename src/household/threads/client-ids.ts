/** Client ids of requests, which the thread catalog stores, and idempotent calls (decision 9). */
import type { AssignedRequest } from "./open-threads.ts";

/** Within this time the same id with the same body resolves to the same thread. */
const SAME_REQUEST_MS = 24 * 60 * 60 * 1000;
/** Within this time the same id with another body is more likely a changed retry than a new request. */
const REUSED_ID_MS = 10 * 60 * 1000;
/** Number of latest requests that are searched for recent client ids. */
const MAX_RECENT_REQUESTS = 200;

export class ClientIds {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The ref of the identical request, if it was made within the last 24 hours. */
  findRepeated(actor: string, clientId: string, digest: string, now: number): string | undefined {
    return this.#sql
      .exec<{ ref: string }>(
        `SELECT ref FROM threads WHERE requestor = ? AND client_id = ? AND digest = ? AND opened > ?
         ORDER BY opened DESC, ref DESC LIMIT 1`,
        actor,
        clientId,
        digest,
        now - SAME_REQUEST_MS,
      )
      .toArray()[0]?.ref;
  }

  /** The newest thread that the actor opened with this client id in the last ten minutes. */
  findRecent(actor: string, clientId: string, now: number): string | undefined {
    return this.#sql
      .exec<{ ref: string }>(
        `SELECT ref FROM threads WHERE requestor = ? AND client_id = ? AND opened > ?
         ORDER BY opened DESC, ref DESC LIMIT 1`,
        actor,
        clientId,
        now - REUSED_ID_MS,
      )
      .toArray()[0]?.ref;
  }

  /** The newest thread of the actor with this client id. */
  findNewest(actor: string, clientId: string): string | undefined {
    return this.#sql
      .exec<{ ref: string }>(
        `SELECT ref FROM threads WHERE requestor = ? AND client_id = ?
         ORDER BY opened DESC, ref DESC LIMIT 1`,
        actor,
        clientId,
      )
      .toArray()[0]?.ref;
  }

  /** The client ids of the actor's latest requests with one, each once. */
  listRecent(actor: string, limit: number): string[] {
    const recent = this.#sql
      .exec<{ client_id: string }>(
        `SELECT client_id FROM threads WHERE requestor = ? AND client_id IS NOT NULL
         ORDER BY opened DESC, ref DESC LIMIT ?`,
        actor,
        MAX_RECENT_REQUESTS,
      )
      .toArray()
      .map(({ client_id }) => client_id);
    return [...new Set(recent)].slice(0, limit);
  }
}

/** Results of calls with an `Idempotency-Key`, by actor. Retained as long as the threads are. */
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

  /** The target as it was resolved when the call first arrived. */
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
