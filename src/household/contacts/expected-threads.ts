/** Finds the open threads in which something is expected of a member. */
import { buildParticipantSql } from "../threads/thread-catalog.ts";

export class ExpectedThreads {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Offered to the member, held by it, or its own request with a question to it; the last changed first. */
  list(actor: string, limit: number): { ref: string; opened: number; requestor: string }[] {
    return this.#sql
      .exec<{ ref: string; opened: number; requestor: string }>(
        `SELECT t.ref, t.opened, t.requestor FROM threads t
         WHERE t.open = 1 AND t.seq > 0 AND CASE WHEN t.requestor = ?1
           THEN t.status IN ('needs_input', 'needs_confirmation') OR t.executor = ?1
           ELSE (t.executor IS NULL OR t.executor = ?1) AND ${buildParticipantSql("?1")} END
         ORDER BY t.change DESC LIMIT ?2`,
        actor,
        limit,
      )
      .toArray();
  }
}
