/** Positions of messages whose row in the index of D1 must be written or deleted. */
export interface UnindexedPosition {
  seq: number;
  /** Rises when the message changes again. */
  change: number;
}

export class UnindexedTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Call it in the transaction that changes the message. */
  add(seq: number): void {
    this.#sql.exec(
      "INSERT INTO unindexed (seq) VALUES (?) ON CONFLICT (seq) DO UPDATE SET change = change + 1",
      seq,
    );
  }

  list(limit: number): UnindexedPosition[] {
    return this.#sql
      .exec<UnindexedPosition & Record<string, SqlStorageValue>>(
        "SELECT seq, change FROM unindexed ORDER BY seq LIMIT ?",
        limit,
      )
      .toArray();
  }

  /** Removes positions that were written, unless their messages have changed since. */
  remove(written: readonly UnindexedPosition[]): void {
    for (const { seq, change } of written)
      this.#sql.exec("DELETE FROM unindexed WHERE seq = ? AND change = ?", seq, change);
  }
}
