/** Secrets that the household generates on first use, and stores sealed. */
import { base64url } from "jose";
import { generateSecret } from "../../auth/hash.ts";
import type { VapidKeys } from "../../contracts/contacts.ts";
import type { Stores } from "../stores.ts";
import type { SecretVault } from "./secret-vault.ts";

/** Like all names of generated secrets it contains a dot, which the names of owners' secrets cannot contain. */
const VAPID_SECRET_NAME = "push.vapid";

async function generateVapidKeys(): Promise<VapidKeys> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = (await crypto.subtle.generateKey(algorithm, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const raw = (await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer;
  const privateKey = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey;
  return { publicKey: base64url.encode(new Uint8Array(raw)), privateKey };
}

export class GeneratedSecrets {
  readonly #stores: Stores;
  readonly #vault: SecretVault;

  constructor(stores: Stores, vault: SecretVault) {
    this.#stores = stores;
    this.#vault = vault;
  }

  /** A random hex text of 64 characters, generated on first use. @param name `{channel}.{key}` */
  async getText(name: string): Promise<string> {
    return await this.#getOrMake(name, async () => generateSecret());
  }

  async getVapidKeys(): Promise<VapidKeys> {
    const text = await this.#getOrMake(VAPID_SECRET_NAME, async () =>
      JSON.stringify(await generateVapidKeys()),
    );
    return JSON.parse(text) as VapidKeys;
  }

  /** If two calls generate a secret at the same time, both return the one that was stored first. */
  async #getOrMake(name: string, make: () => Promise<string>): Promise<string> {
    const known = await this.#vault.open(name);
    if (known !== undefined) return known;
    const unreadable = this.#stores.secrets.get(name);
    const made = await make();
    const sealed = await this.#vault.seal(name, made);
    const concurrent = this.#stores.secrets.get(name);
    if (concurrent && !unreadable) return (await this.#vault.open(name)) ?? made;
    this.#stores.secrets.put(sealed, Date.now());
    return made;
  }
}
