/** Seals and opens the household's secrets. Opened values are never stored. */
import {
  computeFingerprint,
  openSecret,
  deriveSealingKey,
  sealSecret,
} from "../../auth/sealed-secrets.ts";
import type { NewSecret, Secrets } from "./secrets.ts";

export class SecretVault {
  readonly #secret: string;
  readonly #household: string;
  readonly #secrets: Secrets;
  #key: Promise<CryptoKey> | undefined;

  /** @param secret MESS_SECRET */
  constructor(secret: string, household: string, secrets: Secrets) {
    this.#secret = secret;
    this.#household = household;
    this.#secrets = secrets;
  }

  async open(name: string): Promise<string | undefined> {
    const sealed = this.#secrets.get(name);
    return sealed && (await openSecret(await this.#getSealingKey(), this.#household, name, sealed));
  }

  /** Seals a value for storage. */
  async seal(name: string, value: string, derived = false): Promise<NewSecret> {
    const [sealed, fingerprint] = await Promise.all([
      sealSecret(await this.#getSealingKey(), this.#household, name, value),
      computeFingerprint(this.#secret, this.#household, name, value),
    ]);
    return { name, sealed, fingerprint, derived };
  }

  /** A fingerprint that is equal for equal values of this household, and reveals nothing else about them. */
  async fingerprint(name: string, value: string): Promise<string> {
    return await computeFingerprint(this.#secret, this.#household, name, value);
  }

  /** The values of those names that are set. */
  async openAll(names: readonly string[]): Promise<Map<string, string>> {
    const opened = await Promise.all(
      names.map(async (name) => [name, await this.open(name)] as const),
    );
    return new Map(opened.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  }

  #getSealingKey(): Promise<CryptoKey> {
    this.#key ??= deriveSealingKey(this.#secret, this.#household);
    return this.#key;
  }
}
