/** Sealed secrets by name. Names with a dot are the household's generated secrets, which are not listed. */
import type { SealedSecret } from "../../auth/sealed-secrets.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { writeTime } from "../../mess/times.ts";
import type { SecretInfo } from "../../contracts/secrets.ts";

interface SecretRow extends Record<string, SqlStorageValue> {
  name: string;
  version: number;
  iv: ArrayBuffer;
  sealed: ArrayBuffer;
  fingerprint: string;
  created: number;
  updated: number;
}

export interface NewSecret {
  name: string;
  sealed: SealedSecret;
  fingerprint: string;
  /** True if extracted from a `config` block. The secret is deleted when its last reference is removed. */
  derived: boolean;
  /** Id of the Worker secret under which it is sealed. */
  sealedWith: string;
}

/** Each address of a member may contain a secret. */
const MAX_SECRETS = 10_000;

export class Secrets {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get(name: string): SealedSecret | undefined {
    const [row] = this.#sql
      .exec<SecretRow>("SELECT version, iv, sealed FROM secrets WHERE name = ?", name)
      .toArray();
    return (
      row && {
        version: row.version,
        iv: new Uint8Array(row.iv),
        bytes: new Uint8Array(row.sealed),
      }
    );
  }

  put({ name, sealed, fingerprint, derived, sealedWith }: NewSecret, now: number): void {
    this.#sql.exec(
      `INSERT INTO secrets (name, version, iv, sealed, fingerprint, derived, created, updated, sealed_with)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8)
       ON CONFLICT (name) DO UPDATE SET version = ?2, iv = ?3, sealed = ?4, fingerprint = ?5,
         derived = min(derived, ?6), updated = ?7, sealed_with = ?8`,
      name,
      sealed.version,
      sealed.iv.buffer,
      sealed.bytes.buffer,
      fingerprint,
      derived ? 1 : 0,
      now,
      sealedWith,
    );
  }

  /** Names after this one of secrets that are sealed under another Worker secret, or under one that is not known. */
  listSealedOtherwise(id: string, after: string, limit: number): string[] {
    return this.#sql
      .exec<{ name: string }>(
        "SELECT name FROM secrets WHERE sealed_with IS NOT ? AND name > ? ORDER BY name LIMIT ?",
        id,
        after,
        limit,
      )
      .toArray()
      .map(({ name }) => name);
  }

  /** Replaces the sealed value, unless the secret was set again or removed since `before` was read. */
  replaceSealed(
    { name, sealed, fingerprint, sealedWith }: NewSecret,
    before: Pick<SealedSecret, "iv">,
  ): void {
    this.#sql.exec(
      `UPDATE secrets SET version = ?, iv = ?, sealed = ?, fingerprint = ?, sealed_with = ?
       WHERE name = ? AND iv = ?`,
      sealed.version,
      sealed.iv.buffer,
      sealed.bytes.buffer,
      fingerprint,
      sealedWith,
      name,
      before.iv.buffer,
    );
  }

  /** A refusal if there are more secrets than a household may store; else undefined. */
  checkLimit(): Outcome<never> | undefined {
    const { count } = this.#sql
      .exec<{ count: number }>("SELECT count(*) AS count FROM secrets")
      .one();
    return count <= MAX_SECRETS
      ? undefined
      : refuse(
          "too_many",
          `more than ${MAX_SECRETS} secrets`,
          "Delete secrets that are not needed.",
        );
  }

  getInfo(name: string): SecretInfo | undefined {
    return this.list().find((one) => one.name === name);
  }

  list(): SecretInfo[] {
    return this.#sql
      .exec<SecretRow>("SELECT * FROM secrets WHERE instr(name, '.') = 0 ORDER BY name")
      .toArray()
      .map(({ name, fingerprint, created, updated }) => ({
        name,
        fingerprint,
        created: writeTime(created, "UTC"),
        updated: writeTime(updated, "UTC"),
      }));
  }

  /** Names of secrets that an owner set by name, as opposed to extracted ones. */
  listOwnerSetNames(): Set<string> {
    const rows = this.#sql.exec<{ name: string }>("SELECT name FROM secrets WHERE derived = 0");
    return new Set([...rows].map(({ name }) => name));
  }

  remove(name: string): Outcome<true> {
    return this.#sql.exec("DELETE FROM secrets WHERE name = ? AND instr(name, '.') = 0", name)
      .rowsWritten > 0
      ? ok(true)
      : refuse("not_found", "secret not found", "List the secrets to see the valid names.");
  }

  /** Deletes the household's generated secrets whose names begin with this. */
  removeGenerated(prefix: string): void {
    this.#sql.exec("DELETE FROM secrets WHERE substr(name, 1, ?) = ?", prefix.length, prefix);
  }

  /** Deletes the extracted secrets whose names are not in the set. */
  deleteUnreferenced(names: ReadonlySet<string>): void {
    const derived = this.#sql
      .exec<{ name: string }>("SELECT name FROM secrets WHERE derived = 1")
      .toArray();
    for (const { name } of derived) if (!names.has(name)) this.remove(name);
  }
}
