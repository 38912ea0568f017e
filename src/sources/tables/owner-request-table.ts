/** The requests by which the source has asked owners: each is opened once, and decides once. */

/** `draft` and `revision` are what the owner is asked about. `ref` is null until the request is known to be open. */
export const OWNER_REQUESTS_TABLE = `
  CREATE TABLE owner_requests (
    key TEXT PRIMARY KEY,
    message INTEGER,
    draft INTEGER,
    revision INTEGER,
    ref TEXT,
    ended INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE INDEX owner_requests_by_draft ON owner_requests (draft);
  CREATE INDEX owner_requests_by_message ON owner_requests (message);`;

export interface OwnerRequestRow {
  /** Idempotency key of the request. */
  key: string;
  /** Positions of the message and of the draft. */
  message: number | null;
  draft: number | null;
  revision: number | null;
  ref: string | null;
  ended: 0 | 1;
}

export class OwnerRequestTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  find(key: string): OwnerRequestRow | undefined {
    return this.#select("key = ?", key)[0];
  }

  /** All requests about the draft. */
  listOfDraft(draft: number): OwnerRequestRow[] {
    return this.#select("draft = ?", draft);
  }

  listOfMessage(message: number): OwnerRequestRow[] {
    return this.#select("message = ?", message);
  }

  insert({ key, message, draft, revision }: Omit<OwnerRequestRow, "ref" | "ended">): void {
    this.#sql.exec(
      "INSERT INTO owner_requests (key, message, draft, revision) VALUES (?, ?, ?, ?)",
      key,
      message,
      draft,
      revision,
    );
  }

  setRef(key: string, ref: string): void {
    this.#sql.exec("UPDATE owner_requests SET ref = ? WHERE key = ?", ref, key);
  }

  end(key: string): void {
    this.#sql.exec("UPDATE owner_requests SET ended = 1 WHERE key = ?", key);
  }

  #select(where: string, ...values: SqlStorageValue[]): OwnerRequestRow[] {
    return this.#sql
      .exec<OwnerRequestRow & Record<string, SqlStorageValue>>(
        `SELECT key, message, draft, revision, ref, ended FROM owner_requests WHERE ${where}`,
        ...values,
      )
      .toArray();
  }
}
