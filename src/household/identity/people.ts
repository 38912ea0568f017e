/**
 * People: the members that sign in themselves. Their one-time sign-in links and their sessions are known by their
 * SHA-256 only, as keys are.
 */
import type { Role } from "../../auth/principal.ts";
import { writeTime } from "../../mess/times.ts";
import type { PersonInfo } from "../../contracts/identity.ts";

interface Person {
  actor: string;
  role: Role;
}

type Row = Record<string, SqlStorageValue> & Person;

/** Milliseconds. */
export const LINK_LIVES = 15 * 60_000;
export const SESSION_LIVES = 30 * 86_400_000;

export class People {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  person(actor: string): Person | undefined {
    return this.#one("SELECT actor, role FROM people WHERE actor = ?", actor);
  }

  add({ actor, role }: Person, now: number): void {
    this.#sql.exec(
      "INSERT OR IGNORE INTO people (actor, role, created) VALUES (?, ?, ?)",
      actor,
      role,
      now,
    );
  }

  owners(): string[] {
    return this.#sql
      .exec<{ actor: string }>(
        "SELECT actor FROM people WHERE role = 'owner' ORDER BY created, actor",
      )
      .toArray()
      .map(({ actor }) => actor);
  }

  list(now: number): PersonInfo[] {
    return this.#sql
      .exec<Row & { created: number; passkeys: number; sessions: number }>(
        `SELECT actor, role, created,
           (SELECT count(*) FROM passkeys k WHERE k.actor = p.actor) AS passkeys,
           (SELECT count(*) FROM sessions s WHERE s.actor = p.actor AND s.expires > ?) AS sessions
         FROM people p ORDER BY created, actor`,
        now,
      )
      .toArray()
      .map(({ created, ...row }) => ({ ...row, since: writeTime(created, "UTC") }));
  }

  /** Ends everything with which the person signs in. False where there is no such person. */
  remove(actor: string): boolean {
    for (const table of ["sign_in_links", "sessions", "passkeys"])
      this.#sql.exec(`DELETE FROM ${table} WHERE actor = ?`, actor);
    return this.#sql.exec("DELETE FROM people WHERE actor = ?", actor).rowsWritten > 0;
  }

  /** A link takes the place of those that the person has not used, so that a lost one is mended by the next. */
  addLink(hash: string, actor: string, now: number): void {
    this.#sql.exec("DELETE FROM sign_in_links WHERE actor = ? OR expires <= ?", actor, now);
    this.#sql.exec(
      "INSERT INTO sign_in_links (hash, actor, expires) VALUES (?, ?, ?)",
      hash,
      actor,
      now + LINK_LIVES,
    );
  }

  /** Whom the link lets in, as long as it was not used. */
  linkedTo(hash: string, now: number): Person | undefined {
    return this.#holder("sign_in_links", hash, now);
  }

  dropLink(hash: string): void {
    this.#sql.exec("DELETE FROM sign_in_links WHERE hash = ?", hash);
  }

  begin(hash: string, actor: string, now: number): void {
    this.#sql.exec("DELETE FROM sessions WHERE expires <= ?", now);
    this.#sql.exec(
      "INSERT INTO sessions (hash, actor, created, expires) VALUES (?, ?, ?, ?)",
      hash,
      actor,
      now,
      now + SESSION_LIVES,
    );
  }

  /** Whose session this is. */
  inSession(hash: string, now: number): Person | undefined {
    return this.#holder("sessions", hash, now);
  }

  end(hash: string): void {
    this.#sql.exec("DELETE FROM sessions WHERE hash = ?", hash);
  }

  /** Whose secret has this hash, while it is good. */
  #holder(table: "sign_in_links" | "sessions", hash: string, now: number): Person | undefined {
    return this.#one(
      `SELECT p.actor, p.role FROM ${table} t JOIN people p ON p.actor = t.actor
       WHERE t.hash = ? AND t.expires > ?`,
      hash,
      now,
    );
  }

  #one(query: string, ...values: SqlStorageValue[]): Person | undefined {
    const [row] = this.#sql.exec<Row>(query, ...values).toArray();
    return row && { actor: row.actor, role: row.role };
  }
}
