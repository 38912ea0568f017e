/** Seals and opens the household's secrets. Opened values are never stored. */
import {
  computeFingerprint,
  openSecret,
  deriveSealingKey,
  sealSecret,
} from "../../auth/sealed-secrets.ts";
import {
  findAccepted,
  getCurrent,
  getSecretId,
  listAccepted,
  type WorkerSecret,
} from "../../auth/worker-secret.ts";
import type { NewSecret, Secrets } from "./secrets.ts";

export class SecretVault {
  readonly #secret: WorkerSecret;
  readonly #household: string;
  readonly #secrets: Secrets;
  readonly #keys = new Map<string, Promise<CryptoKey>>();

  constructor(secret: WorkerSecret, household: string, secrets: Secrets) {
    this.#secret = secret;
    this.#household = household;
    this.#secrets = secrets;
  }

  /** The id of the secret under which new values are sealed. */
  async getCurrentId(): Promise<string> {
    return await getSecretId(getCurrent(this.#secret));
  }

  /** Opens a value that was sealed under the current secret, or under the former one during a rotation. */
  async open(name: string): Promise<string | undefined> {
    const sealed = this.#secrets.get(name);
    return (
      sealed &&
      (await findAccepted(this.#secret, async (secret) =>
        openSecret(await this.#getSealingKey(secret), this.#household, name, sealed),
      ))
    );
  }

  /** Seals a value for storage. */
  async seal(name: string, value: string, derived = false): Promise<NewSecret> {
    const current = getCurrent(this.#secret);
    const [sealed, fingerprint, sealedWith] = await Promise.all([
      sealSecret(await this.#getSealingKey(current), this.#household, name, value),
      computeFingerprint(current, this.#household, name, value),
      this.getCurrentId(),
    ]);
    return { name, sealed, fingerprint, derived, sealedWith };
  }

  /**
   * Fingerprints that are equal for equal values of this household, and reveal nothing else about them: with the current
   * secret, and during a rotation with the former one.
   */
  async fingerprints(name: string, value: string): Promise<[current: string, ...former: string[]]> {
    const [current, ...former] = await Promise.all(
      listAccepted(this.#secret).map((one) =>
        computeFingerprint(one, this.#household, name, value),
      ),
    );
    return [current!, ...former];
  }

  /** The values of those names that are set. */
  async openAll(names: readonly string[]): Promise<Map<string, string>> {
    const opened = await Promise.all(
      names.map(async (name) => [name, await this.open(name)] as const),
    );
    return new Map(opened.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  }

  #getSealingKey(secret: string): Promise<CryptoKey> {
    const key = this.#keys.get(secret) ?? deriveSealingKey(secret, this.#household);
    this.#keys.set(secret, key);
    return key;
  }
}
