/** API keys of members. Only their SHA-256 digests are stored. */
import { type CredentialId, type Role, ROLES } from "../../auth/principal.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { writeTime } from "../../mess/times.ts";
import { defined } from "../../mess/defined.ts";
import type { KeyExpiry, KeyHolder, KeyInfo, NewMemberKey } from "../../contracts/identity.ts";

interface CredentialRow extends Record<string, SqlStorageValue> {
  hash: string;
  id: string;
  actor: string;
  role: Role;
  label: string | null;
  created: number;
  revoked: number | null;
  expires: number | null;
  used: number | null;
  paths: string | null;
}

export interface NewCredential extends NewMemberKey {
  /** Random id under which the key is listed and revoked; it is not part of the key. */
  id: string;
}

const HASH_PATTERN = /^[0-9a-f]{64}$/;

/** The last use is recorded once in this time, so that calls write no row. */
const USE_INTERVAL_MS = 3_600_000;
/** Ten years, as for other durations: a longer lifetime is taken for a typing error. */
const MAX_LIFETIME_MS = 3_650 * 86_400_000;

const writeOptionalTime = (time: number | null): string | undefined =>
  time === null ? undefined : writeTime(time, "UTC");

const readPaths = ({ paths }: CredentialRow): string[] | undefined =>
  paths === null ? undefined : (JSON.parse(paths) as string[]);

/** In one order, so that the same paths are equal. */
const writePaths = ({ paths }: NewMemberKey): string | null =>
  paths === undefined ? null : JSON.stringify([...new Set(paths)].toSorted());

const toKeyInfo = (row: CredentialRow): KeyInfo => ({
  id: row.id,
  actor: row.actor,
  role: row.role,
  created: writeTime(row.created, "UTC"),
  ...defined({
    paths: readPaths(row),
    label: row.label ?? undefined,
    expires: writeOptionalTime(row.expires),
    last_used: writeOptionalTime(row.used),
  }),
});

/** Milliseconds since 1970; null for a key without expiry. */
const computeExpiry = (expiry: KeyExpiry | undefined, created: number): number | null => {
  if (expiry === undefined) return null;
  return "at" in expiry ? expiry.at : created + expiry.seconds * 1_000;
};

export class Credentials {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Finds the member that holds the key with this hash, and records that the key was used; null for unknown and revoked
   * keys.
   */
  authenticate(hash: string, now: number): KeyHolder | "expired" | null {
    const row = this.#findByHash(hash);
    if (!row) return null;
    const { id, actor, role, revoked, expires, used } = row;
    // A key that expired was ended at its expiry, or will be by the next alarm.
    if (revoked !== null) return expires === revoked ? "expired" : null;
    if (expires !== null && expires <= now) return "expired";
    if (used === null || used + USE_INTERVAL_MS <= now)
      this.#sql.exec("UPDATE credentials SET used = ? WHERE hash = ?", now, hash);
    return {
      id,
      actor,
      role,
      ...defined({ expires: expires ?? undefined, paths: readPaths(row) }),
    };
  }

  isKnown(hash: string): boolean {
    return this.#findByHash(hash) !== undefined;
  }

  isLive(id: string, now: number): boolean {
    return (
      this.#sql
        .exec(
          "SELECT 1 FROM credentials WHERE id = ? AND revoked IS NULL AND (expires IS NULL OR expires > ?)",
          id,
          now,
        )
        .toArray().length > 0
    );
  }

  /** When the next key expires, in milliseconds since 1970. */
  getNextExpiry(): number | undefined {
    const [row] = this.#sql
      .exec<{ expires: number }>(
        `SELECT expires FROM credentials WHERE expires IS NOT NULL AND revoked IS NULL
         ORDER BY expires LIMIT 1`,
      )
      .toArray();
    return row?.expires;
  }

  /** Ends the keys that have expired, and returns them. */
  expire(now: number): { id: string; actor: string }[] {
    return this.#sql
      .exec<{ id: string; actor: string }>(
        `UPDATE credentials SET revoked = expires
         WHERE expires IS NOT NULL AND revoked IS NULL AND expires <= ? RETURNING id, actor`,
        now,
      )
      .toArray();
  }

  /**
   * Stores a key. Adding the same key for the same member again returns the stored one; otherwise a hash is used once
   * only.
   */
  add(key: NewCredential, now: number): Outcome<KeyInfo> {
    if (!HASH_PATTERN.test(key.key_hash)) {
      return refuse(
        "bad_field",
        "key_hash: not a SHA-256 digest",
        "Give 64 lower-case hex digits.",
        {
          path: "key_hash",
        },
      );
    }
    const known = this.#findByHash(key.key_hash);
    if (known) {
      const isSame =
        known.actor === key.actor &&
        known.role === key.role &&
        known.paths === writePaths(key) &&
        known.expires === computeExpiry(key.expiry, known.created) &&
        this.isLive(known.id, now);
      return isSame
        ? ok(toKeyInfo(known))
        : refuse("already_exists", "this key was issued before", "Generate a new key.");
    }
    const expires = computeExpiry(key.expiry, now);
    if (expires !== null && (expires <= now || expires > now + MAX_LIFETIME_MS))
      return refuse(
        "bad_field",
        "the key's expiry is in the past, or too far ahead",
        "Give expires_in as a duration such as 90d, or expires_at as a time at most ten years ahead.",
        { path: key.expiry !== undefined && "at" in key.expiry ? "expires_at" : "expires_in" },
      );
    this.#sql.exec(
      "INSERT INTO credentials (hash, id, actor, role, label, created, expires, paths) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      key.key_hash,
      key.id,
      key.actor,
      key.role,
      key.label ?? null,
      now,
      expires,
      writePaths(key),
    );
    return ok(toKeyInfo(this.#findByHash(key.key_hash)!));
  }

  /** Whether the key was issued before. */
  has(hash: string): boolean {
    return this.#findByHash(hash) !== undefined;
  }

  /** The active keys of each member. */
  countByActor(): { actor: string; count: number }[] {
    return this.#sql
      .exec<{ actor: string; count: number }>(
        "SELECT actor, count(*) AS count FROM credentials WHERE revoked IS NULL GROUP BY actor",
      )
      .toArray();
  }

  /** Active keys, oldest first. */
  list(): KeyInfo[] {
    return this.#sql
      .exec<CredentialRow>("SELECT * FROM credentials WHERE revoked IS NULL ORDER BY created, id")
      .toArray()
      .map(toKeyInfo);
  }

  /**
   * Revokes a key. The last key of an owner that does not expire is refused, since no member could add another key
   * without one.
   */
  revoke(id: string, now: number): Outcome<true> {
    const activeKeys = this.list();
    const key = activeKeys.find((one) => one.id === id);
    if (!key) {
      return refuse("not_found", "key not found", "List the keys to see the valid ids.");
    }
    const lastingKeys = activeKeys.filter(
      ({ role, expires }) => role === "owner" && expires === undefined,
    );
    if (lastingKeys.length === 1 && lastingKeys[0] === key) {
      return refuse(
        "last_owner_key",
        "the last key of an owner that does not expire cannot be revoked",
        "Add another key with the role owner and without an expiry first.",
      );
    }
    this.#sql.exec("UPDATE credentials SET revoked = ? WHERE id = ?", now, id);
    return ok(true);
  }

  /** Revokes the keys of an executor that is removed, and returns them: those with the roles that serve. */
  revokeServing(actor: string, now: number): { id: string; role: Role }[] {
    return this.#sql
      .exec<{ id: string; role: Role }>(
        `UPDATE credentials SET revoked = ?
         WHERE actor = ? AND role IN ('executor', 'member') AND revoked IS NULL RETURNING id, role`,
        now,
        actor,
      )
      .toArray();
  }

  /** Records who let the program of this key sign in. @param made_with the credential behind the person's session */
  recordPerson(id: string, person: string, made_with: string | null): void {
    this.#sql.exec(
      "UPDATE credentials SET person = ?, made_with = ? WHERE id = ?",
      person,
      made_with,
      id,
    );
  }

  isOfProgram(id: string): boolean {
    return (
      this.#sql.exec("SELECT 1 FROM credentials WHERE id = ? AND person IS NOT NULL", id).toArray()
        .length > 0
    );
  }

  /** Revokes the keys of the programs that the person let sign in; returns their ids. */
  revokePrograms(person: string, now: number): string[] {
    return this.#revoke("person = ?", person, now);
  }

  /** Revokes the keys of programs that were let in by sessions that stem from the credential; returns their ids. */
  revokeMadeWith(credential: CredentialId, now: number): string[] {
    return this.#revoke("made_with = ?", credential, now);
  }

  #revoke(where: string, value: string, now: number): string[] {
    return this.#sql
      .exec<{ id: string }>(
        `UPDATE credentials SET revoked = ? WHERE ${where} AND revoked IS NULL RETURNING id`,
        now,
        value,
      )
      .toArray()
      .map(({ id }) => id);
  }

  /** The highest role among the member's active keys that are not limited to paths. */
  getRole(actor: string): Role | undefined {
    const roles = this.#sql
      .exec<{ role: Role }>(
        "SELECT DISTINCT role FROM credentials WHERE actor = ? AND revoked IS NULL AND paths IS NULL",
        actor,
      )
      .toArray()
      .map(({ role }) => role);
    return ROLES.find((role) => roles.includes(role));
  }

  /** Members with an active owner key, ordered by their oldest key. */
  listOwners(): string[] {
    return this.#sql
      .exec<{ actor: string }>(
        `SELECT actor FROM credentials WHERE role = 'owner' AND revoked IS NULL
         GROUP BY actor ORDER BY min(created), actor`,
      )
      .toArray()
      .map(({ actor }) => actor);
  }

  #findByHash(hash: string): CredentialRow | undefined {
    return this.#sql
      .exec<CredentialRow>("SELECT * FROM credentials WHERE hash = ?", hash)
      .toArray()[0];
  }
}
