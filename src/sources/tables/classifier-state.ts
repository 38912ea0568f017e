/** The progress of the classifier through the messages that wait for it, and its pauses after failures. */

/**
 * `tried_to` is the position up to which every message was tried: those behind it that wait are provisional. `failures`
 * counts the calls in a row that the classifier did not answer. A row of `classifier_retries` keeps one message back.
 */
export const CLASSIFIER_TABLES = `
  CREATE TABLE classifier (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    tried_to INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    paused_until INTEGER NOT NULL DEFAULT 0
  );
  INSERT INTO classifier (one) VALUES (1);
  CREATE TABLE classifier_retries (
    seq INTEGER PRIMARY KEY,
    attempts INTEGER NOT NULL,
    due INTEGER NOT NULL
  );
  CREATE INDEX classifier_retries_by_due ON classifier_retries (due);`;

export interface ClassifierProgress {
  tried_to: number;
  failures: number;
  /** Milliseconds since 1970. */
  paused_until: number;
}

const BACKLOG_SQL = `FROM messages INDEXED BY messages_waiting LEFT JOIN classifier_retries USING (seq)
  WHERE waiting = 1 AND seq <= ?`;

export class ClassifierState {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(): ClassifierProgress {
    return this.#sql
      .exec<ClassifierProgress & Record<string, SqlStorageValue>>(
        "SELECT tried_to, failures, paused_until FROM classifier",
      )
      .one();
  }

  setTriedTo(seq: number): void {
    this.#sql.exec("UPDATE classifier SET tried_to = ? WHERE tried_to < ?", seq, seq);
  }

  pause(failures: number, until: number): void {
    this.#sql.exec("UPDATE classifier SET failures = ?, paused_until = ?", failures, until);
  }

  resume(): void {
    this.#sql.exec(
      "UPDATE classifier SET failures = 0, paused_until = 0 WHERE failures > 0 OR paused_until > 0",
    );
  }

  /** Every message that waits is tried again, the oldest first. */
  restart(): void {
    this.#sql.exec("UPDATE classifier SET tried_to = 0, failures = 0, paused_until = 0");
    this.#sql.exec("DELETE FROM classifier_retries");
  }

  /** Failed attempts that concern this message alone. */
  getAttempts(seq: number): number {
    const [row] = this.#sql
      .exec<{ attempts: number }>("SELECT attempts FROM classifier_retries WHERE seq = ?", seq)
      .toArray();
    return row?.attempts ?? 0;
  }

  /** @param due time of its next attempt; undefined: none before `restart` */
  keepBack(seq: number, attempts: number, due: number = Number.MAX_SAFE_INTEGER): void {
    this.#sql.exec(
      `INSERT INTO classifier_retries (seq, attempts, due) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET attempts = excluded.attempts, due = excluded.due`,
      seq,
      attempts,
      due,
    );
  }

  forget(seq: number): void {
    this.#sql.exec("DELETE FROM classifier_retries WHERE seq = ?", seq);
  }

  /** Positions of provisional messages that can be tried now, the oldest first. */
  listBacklog(now: number, limit: number): number[] {
    return this.#sql
      .exec<{ seq: number }>(
        `SELECT seq ${BACKLOG_SQL} AND coalesce(due, 0) <= ? ORDER BY seq LIMIT ?`,
        this.get().tried_to,
        now,
        limit,
      )
      .toArray()
      .map(({ seq }) => seq);
  }

  /** When the next provisional message can be tried: 0 for at once, undefined where none is left. */
  getNextDue(): number | undefined {
    const [unhindered] = this.#sql
      .exec(`SELECT seq ${BACKLOG_SQL} AND due IS NULL ORDER BY seq LIMIT 1`, this.get().tried_to)
      .toArray();
    if (unhindered) return 0;
    const { due } = this.#sql
      .exec<{ due: number | null }>(
        "SELECT min(due) AS due FROM classifier_retries CROSS JOIN messages USING (seq) WHERE waiting = 1",
      )
      .one();
    return due === null || due === Number.MAX_SAFE_INTEGER ? undefined : due;
  }
}
