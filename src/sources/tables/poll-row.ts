/** The row that schedules the polling of a source. */

export const POLL_TABLE = `
  CREATE TABLE poll (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    attempted_at INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    awaited_until INTEGER NOT NULL DEFAULT 0
  );
  INSERT INTO poll (one) VALUES (1);`;

export interface PollSchedule {
  /** Start of the last poll, in milliseconds since 1970. */
  attempted_at: number;
  /** Failed polls since the last successful one. */
  failures: number;
  /** Somebody waits for messages up to this time. */
  awaited_until: number;
}

export class PollRow {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(): PollSchedule {
    return this.#sql
      .exec<PollSchedule & Record<string, SqlStorageValue>>(
        "SELECT attempted_at, failures, awaited_until FROM poll",
      )
      .one();
  }

  recordAttempt(at: number, failures: number): void {
    this.#sql.exec("UPDATE poll SET attempted_at = ?, failures = ?", at, failures);
  }

  setAwaited(until: number): void {
    this.#sql.exec("UPDATE poll SET awaited_until = ?1 WHERE awaited_until < ?1", until);
  }
}
