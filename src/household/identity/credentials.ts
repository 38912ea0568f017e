/** API keys of members. Only their SHA-256 digests are stored. */
import { type Role, ROLES } from "../../auth/principal.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { writeTime } from "../../mess/times.ts";
import type { KeyHolder, KeyInfo, NewMemberKey } from "../../contracts/identity.ts";

interface CredentialRow extends Record<string, SqlStorageValue> {
  hash: string;
  id: string;
  actor: string;
  role: Role;
  label: string | null;
  created: number;
  revoked: number | null;
}

export interface NewCredential extends NewMemberKey {
  /** Random id under which the key is listed and revoked; it is not part of the key. */
  id: string;
}

const HASH_PATTERN = /^[0-9a-f]{64}$/;

const toKeyInfo = (row: CredentialRow): KeyInfo => ({
  id: row.id,
  actor: row.actor,
  role: row.role,
  ...(row.label === null ? {} : { label: row.label }),
  created: writeTime(row.created, "UTC"),
});

export class Credentials {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Finds the member that holds the key with this hash; null for unknown and revoked keys. */
  findHolder(hash: string): KeyHolder | null {
    const row = this.#findByHash(hash);
    if (!row || row.revoked !== null) return null;
    const { id, actor, role } = row;
    return { id, actor, role };
  }

  isLive(id: string): boolean {
    return (
      this.#sql.exec("SELECT 1 FROM credentials WHERE id = ? AND revoked IS NULL", id).toArray()
        .length > 0
    );
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
      const isSame = known.actor === key.actor && known.role === key.role && known.revoked === null;
      return isSame
        ? ok(toKeyInfo(known))
        : refuse("already_exists", "this key was issued before", "Generate a new key.");
    }
    this.#sql.exec(
      "INSERT INTO credentials (hash, id, actor, role, label, created) VALUES (?, ?, ?, ?, ?, ?)",
      key.key_hash,
      key.id,
      key.actor,
      key.role,
      key.label ?? null,
      now,
    );
    return ok(toKeyInfo(this.#findByHash(key.key_hash)!));
  }

  /** Active keys, oldest first. */
  list(): KeyInfo[] {
    return this.#sql
      .exec<CredentialRow>("SELECT * FROM credentials WHERE revoked IS NULL ORDER BY created, id")
      .toArray()
      .map(toKeyInfo);
  }

  /** Revokes a key. The last key of an owner is refused, since no member could add another key after that. */
  revoke(id: string, now: number): Outcome<true> {
    const activeKeys = this.list();
    const key = activeKeys.find((one) => one.id === id);
    if (!key) {
      return refuse("not_found", "key not found", "List the keys to see the valid ids.");
    }
    if (key.role === "owner" && activeKeys.filter(({ role }) => role === "owner").length === 1) {
      return refuse(
        "last_owner_key",
        "the last key of an owner cannot be revoked",
        "Add another key with the role owner first.",
      );
    }
    this.#sql.exec("UPDATE credentials SET revoked = ? WHERE id = ?", now, id);
    return ok(true);
  }

  /** Revokes all executor keys of a member that is removed from the household. Returns the ids of the keys. */
  revokeExecutor(actor: string, now: number): string[] {
    return this.#sql
      .exec<{ id: string }>(
        `UPDATE credentials SET revoked = ? WHERE actor = ? AND role = 'executor' AND revoked IS NULL
         RETURNING id`,
        now,
        actor,
      )
      .toArray()
      .map(({ id }) => id);
  }

  /** The highest role among the member's active keys. */
  getRole(actor: string): Role | undefined {
    const roles = this.#sql
      .exec<{ role: Role }>(
        "SELECT DISTINCT role FROM credentials WHERE actor = ? AND revoked IS NULL",
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

  isOwner(actor: string): boolean {
    return (
      this.#sql
        .exec(
          "SELECT 1 FROM credentials WHERE actor = ? AND role = 'owner' AND revoked IS NULL LIMIT 1",
          actor,
        )
        .toArray().length > 0
    );
  }

  #findByHash(hash: string): CredentialRow | undefined {
    return this.#sql
      .exec<CredentialRow>("SELECT * FROM credentials WHERE hash = ?", hash)
      .toArray()[0];
  }
}
