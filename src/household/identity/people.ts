/**
 * People: the members that sign in with a browser. Their one-time sign-in links and their sessions are stored as
 * SHA-256 digests only.
 */
import type { CredentialId, Role } from "../../auth/principal.ts";
import { writeTime } from "../../mess/times.ts";
import type { PersonInfo } from "../../contracts/identity.ts";

interface Person {
  actor: string;
  role: Role;
}

type PersonRow = Record<string, SqlStorageValue> & Person;

/** How a session or sign-in link came about. */
interface AccessOrigin {
  /** The key that made the link, with which link and session end; null for a passkey or the operator. */
  made_with: string | null;
  /** No API key can have made it. */
  verified: boolean;
}

/** The person behind a link or session. */
type PersonByCredential = Person & AccessOrigin;

/** Lifetime of a sign-in link, in milliseconds. */
export const LINK_LIFETIME_MS = 15 * 60_000;
export const SESSION_LIFETIME_MS = 30 * 86_400_000;

export class People {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  find(actor: string): Person | undefined {
    return this.#selectOne("SELECT actor, role FROM people WHERE actor = ?", actor);
  }

  add({ actor, role }: Person, now: number): void {
    this.#sql.exec(
      "INSERT OR IGNORE INTO people (actor, role, created) VALUES (?, ?, ?)",
      actor,
      role,
      now,
    );
  }

  listOwners(): string[] {
    return this.#sql
      .exec<{ actor: string }>(
        "SELECT actor FROM people WHERE role = 'owner' ORDER BY created, actor",
      )
      .toArray()
      .map(({ actor }) => actor);
  }

  list(now: number): PersonInfo[] {
    return this.#sql
      .exec<PersonRow & { created: number; passkeys: number; sessions: number }>(
        `SELECT actor, role, created,
           (SELECT count(*) FROM passkeys k WHERE k.actor = p.actor) AS passkeys,
           (SELECT count(*) FROM sessions s WHERE s.actor = p.actor AND s.expires > ?) AS sessions
         FROM people p ORDER BY created, actor`,
        now,
      )
      .toArray()
      .map(({ created, ...row }) => ({ ...row, since: writeTime(created, "UTC") }));
  }

  /** Digests of the person's sessions. */
  listSessions(actor: string): string[] {
    return this.#sql
      .exec<{ hash: string }>("SELECT hash FROM sessions WHERE actor = ?", actor)
      .toArray()
      .map(({ hash }) => hash);
  }

  /**
   * Ends the unused sign-in links made with the credential. Returns the digests of sessions that began by such a link.
   */
  endMadeWith(credential: CredentialId): string[] {
    this.#sql.exec("DELETE FROM sign_in_links WHERE made_with = ?", credential);
    return this.#sql
      .exec<{ hash: string }>("SELECT hash FROM sessions WHERE made_with = ?", credential)
      .toArray()
      .map(({ hash }) => hash);
  }

  /** Removes the person with its links, sessions and passkeys. False if there is no such person. */
  remove(actor: string): boolean {
    for (const table of ["sign_in_links", "sessions", "passkeys"])
      this.#sql.exec(`DELETE FROM ${table} WHERE actor = ?`, actor);
    return this.#sql.exec("DELETE FROM people WHERE actor = ?", actor).rowsWritten > 0;
  }

  /**
   * Adds a sign-in link and removes the person's unused ones, so that requesting another link is enough if one is lost.
   */
  addLink(hash: string, actor: string, { made_with, verified }: AccessOrigin, now: number): void {
    this.#sql.exec("DELETE FROM sign_in_links WHERE actor = ? OR expires <= ?", actor, now);
    this.#sql.exec(
      "INSERT INTO sign_in_links (hash, actor, expires, made_with, verified) VALUES (?, ?, ?, ?, ?)",
      hash,
      actor,
      now + LINK_LIFETIME_MS,
      made_with,
      Number(verified),
    );
  }

  /** Finds the person that the unused link signs in. */
  findByLink(hash: string, now: number): PersonByCredential | undefined {
    return this.#findBySecret("sign_in_links", hash, now);
  }

  dropLink(hash: string): void {
    this.#sql.exec("DELETE FROM sign_in_links WHERE hash = ?", hash);
  }

  beginSession(
    hash: string,
    { actor, made_with, verified }: Omit<PersonByCredential, "role">,
    now: number,
  ): void {
    this.#sql.exec("DELETE FROM sessions WHERE expires <= ?", now);
    this.#sql.exec(
      "INSERT INTO sessions (hash, actor, created, expires, made_with, verified) VALUES (?, ?, ?, ?, ?, ?)",
      hash,
      actor,
      now,
      now + SESSION_LIFETIME_MS,
      made_with,
      Number(verified),
    );
  }

  /** Finds the person that the session belongs to. */
  findBySession(hash: string, now: number): PersonByCredential | undefined {
    return this.#findBySecret("sessions", hash, now);
  }

  endSession(hash: string): void {
    this.#sql.exec("DELETE FROM sessions WHERE hash = ?", hash);
  }

  /** Finds the person by the digest of a secret that has not expired. */
  #findBySecret(
    table: "sign_in_links" | "sessions",
    hash: string,
    now: number,
  ): PersonByCredential | undefined {
    const [row] = this.#sql
      .exec<PersonRow & { made_with: string | null; verified: 0 | 1 }>(
        `SELECT p.actor, p.role, t.made_with, t.verified FROM ${table} t JOIN people p ON p.actor = t.actor
         WHERE t.hash = ? AND t.expires > ?`,
        hash,
        now,
      )
      .toArray();
    return row && { ...row, verified: row.verified === 1 };
  }

  #selectOne(query: string, ...values: SqlStorageValue[]): Person | undefined {
    const [row] = this.#sql.exec<PersonRow>(query, ...values).toArray();
    return row && { actor: row.actor, role: row.role };
  }
}
