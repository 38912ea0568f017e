/** When each member was last heard of, and the position that its waits without a cursor have reached. */

/** A member that is heard of more often than this costs no further row written. */
const WRITE_INTERVAL_MS = 30_000;

interface LifeRow extends Record<string, SqlStorageValue> {
  member: string;
  seen: number;
  received: number;
}

export class SignsOfLife {
  readonly #sql: SqlStorage;
  readonly #isWaiting: (member: string) => boolean;
  #rows: Map<string, LifeRow> | undefined;

  /** @param isWaiting whether the member has an open wait, which is a sign of life for as long as it lasts */
  constructor(sql: SqlStorage, isWaiting: (member: string) => boolean) {
    this.#sql = sql;
    this.#isWaiting = isWaiting;
  }

  /** Call this when a transaction that wrote here was rolled back. */
  clearCache(): void {
    this.#rows = undefined;
  }

  record(member: string, now: number): void {
    const row = this.#read().get(member);
    if (row && now - row.seen < WRITE_INTERVAL_MS) return;
    this.#save({ member, seen: now, received: row?.received ?? 0 });
  }

  getReceived(member: string): number {
    return this.#read().get(member)?.received ?? 0;
  }

  setReceived(member: string, received: number, now: number): void {
    this.#save({ member, seen: now, received });
  }

  getSeen(member: string, now: number): number | undefined {
    return this.#isWaiting(member) ? now : this.#read().get(member)?.seen;
  }

  #save(row: LifeRow): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO signs_of_life (member, seen, received) VALUES (?, ?, ?)",
      row.member,
      row.seen,
      row.received,
    );
    this.#read().set(row.member, row);
  }

  #read(): Map<string, LifeRow> {
    this.#rows ??= new Map(
      this.#sql
        .exec<LifeRow>("SELECT * FROM signs_of_life")
        .toArray()
        .map((row) => [row.member, row]),
    );
    return this.#rows;
  }
}
