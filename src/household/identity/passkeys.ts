/** Passkeys of people: public keys and counters. Used challenges are stored until they expire, to prevent replay. */
import type { StoredPasskey } from "../../contracts/identity.ts";

interface PasskeyRow extends Record<string, SqlStorageValue> {
  id: string;
  actor: string;
  public_key: ArrayBuffer;
  counter: number;
  transports: string;
  households: string;
  verified: 0 | 1;
}

const toPasskey = (row: PasskeyRow): StoredPasskey => ({
  id: row.id,
  actor: row.actor,
  public_key: new Uint8Array(row.public_key),
  counter: row.counter,
  transports: JSON.parse(row.transports) as string[],
  households: JSON.parse(row.households) as string[],
  verified: row.verified === 1,
});

export class Passkeys {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(id: string): StoredPasskey | undefined {
    const [row] = this.#sql.exec<PasskeyRow>("SELECT * FROM passkeys WHERE id = ?", id).toArray();
    return row && toPasskey(row);
  }

  listByActor(actor: string): StoredPasskey[] {
    return this.#sql
      .exec<PasskeyRow>("SELECT * FROM passkeys WHERE actor = ? ORDER BY created", actor)
      .toArray()
      .map(toPasskey);
  }

  add(passkey: StoredPasskey, now: number): void {
    this.#sql.exec(
      `INSERT INTO passkeys (id, actor, public_key, counter, transports, households, verified, created)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      passkey.id,
      passkey.actor,
      passkey.public_key,
      passkey.counter,
      JSON.stringify(passkey.transports),
      JSON.stringify(passkey.households),
      Number(passkey.verified),
      now,
    );
  }

  updateCounter(id: string, counter: number): void {
    this.#sql.exec("UPDATE passkeys SET counter = ? WHERE id = ?", counter, id);
  }

  /** Marks the challenge as used. False if it was used before. */
  spendChallenge(challenge: string, expires: number, now: number): boolean {
    this.#sql.exec("DELETE FROM challenges WHERE expires <= ?", now);
    const deletedRows = this.#sql.exec(
      "INSERT OR IGNORE INTO challenges (id, expires) VALUES (?, ?)",
      challenge,
      expires,
    );
    return deletedRows.rowsWritten > 0;
  }
}
