/**
 * Credentials and memberships that ended, as reported by the household. The rows stay, so that a link or socket that was
 * being created at that time is refused when it arrives later.
 */
import type { CredentialId } from "../auth/principal.ts";
import type { AccessEnd } from "../contracts/thread.ts";
import type { ThreadTables } from "./migrations.ts";

/** The credential and the membership that a link depends on; null in links of versions that did not record them. */
export type LinkOrigin = {
  executor: string;
  made_with: string | null;
  membership: number | null;
};

/** Cannot collide with a `CredentialId`, because none of these begins with `member:`. */
const buildMemberSubject = (executor: string): string => `member:${executor}`;

export class AccessEnds {
  readonly #tables: ThreadTables;
  /** Cached, because most threads have no row and every call checks. The object is the only writer of its table. */
  #hasAny: boolean | undefined;

  constructor(tables: ThreadTables) {
    this.#tables = tables;
  }

  record(end: AccessEnd, now: number): void {
    this.#hasAny = true;
    const [subject, membership] =
      "credential" in end
        ? [end.credential, null]
        : [buildMemberSubject(end.executor), end.membership];
    this.#tables.insert(
      "ended_access",
      `INSERT INTO ended_access (subject, membership, at) VALUES (?, ?, ?)
       ON CONFLICT (subject) DO UPDATE SET membership = max(membership, excluded.membership)`,
      subject,
      membership,
      now,
    );
  }

  isCredentialEnded(credential: CredentialId): boolean {
    return this.#exists("subject = ?", credential);
  }

  /** A link without a recorded origin ends with every membership of its executor. */
  isLinkEnded({ executor, made_with, membership }: LinkOrigin): boolean {
    return this.#exists(
      "subject = ? OR (subject = ? AND membership >= ?)",
      made_with,
      buildMemberSubject(executor),
      membership ?? 0,
    );
  }

  #exists(where: string, ...values: (string | number | null)[]): boolean {
    this.#hasAny ??= this.#matches("true");
    return this.#hasAny && this.#matches(where, ...values);
  }

  #matches(where: string, ...values: (string | number | null)[]): boolean {
    const query = `SELECT 1 FROM ended_access WHERE ${where} LIMIT 1`;
    return this.#tables.run("ended_access", query, ...values).length > 0;
  }
}
