/** The leases on names in SQLite. A household has few, so every call reads all that are live. */
import type { CredentialId } from "../../auth/principal.ts";
import type { ReservationMode } from "../../mess/reservations/limits.ts";

/** Times are milliseconds since 1970. */
export interface Wanter {
  actor: string;
  as?: string;
  at: number;
  reason?: string;
}

export interface NewStoredReservation {
  /** As the holder wrote it. */
  name: string;
  normalized: string;
  mode: ReservationMode;
  actor: string;
  credential: CredentialId;
  /** Id of the holder in an AI group. */
  member: string | null;
  reason: string | null;
  expires: number;
}

export interface StoredReservation extends NewStoredReservation {
  n: number;
  created: number;
  wanted: readonly Wanter[];
}

type ReservationRow = Record<string, SqlStorageValue> &
  Omit<StoredReservation, "wanted"> & { wanted: string };

export class Reservations {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Those that have not expired, by name. */
  list(now: number): StoredReservation[] {
    return this.#sql
      .exec<ReservationRow>(
        "SELECT * FROM reservations WHERE expires > ? ORDER BY normalized, n",
        now,
      )
      .toArray()
      .map((row) => ({ ...row, wanted: JSON.parse(row.wanted) as Wanter[] }));
  }

  add(reservation: NewStoredReservation, now: number): void {
    const { name, normalized, mode, actor, credential, member, reason, expires } = reservation;
    this.#sql.exec(
      `INSERT INTO reservations
         (name, normalized, mode, actor, credential, member, reason, created, expires, wanted)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '[]')`,
      name,
      normalized,
      mode,
      actor,
      credential,
      member,
      reason,
      now,
      expires,
    );
  }

  /** Keeps the reason where no new one is given. */
  extend(
    n: number,
    { mode, reason, expires }: Pick<NewStoredReservation, "mode" | "reason" | "expires">,
  ): void {
    this.#sql.exec(
      "UPDATE reservations SET mode = ?, reason = coalesce(?, reason), expires = ? WHERE n = ?",
      mode,
      reason,
      expires,
      n,
    );
  }

  setWanted(n: number, wanted: readonly Wanter[]): void {
    this.#sql.exec("UPDATE reservations SET wanted = ? WHERE n = ?", JSON.stringify(wanted), n);
  }

  remove(n: number): void {
    this.#sql.exec("DELETE FROM reservations WHERE n = ?", n);
  }

  removeExcept(kept: readonly number[]): void {
    this.#sql.exec(
      "DELETE FROM reservations WHERE n NOT IN (SELECT value FROM json_each(?))",
      JSON.stringify(kept),
    );
  }
}
