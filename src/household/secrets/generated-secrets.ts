/** Secrets that the household makes for itself when they are first needed, and keeps sealed. */
import { randomSecret } from "../../auth/hash.ts";
import type { Vapid } from "../../contracts/member-settings.ts";
import type { Stores } from "../stores.ts";
import type { Vault } from "./secret-vault.ts";

/** Their names have a dot, which no name given by an owner has. */
export const ownSecret = { telegram: "telegram.webhook_secret", vapid: "push.vapid" } as const;

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

async function makeVapid(): Promise<Vapid> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = (await crypto.subtle.generateKey(algorithm, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const raw = (await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer;
  const privateKey = (await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey;
  return { publicKey: base64url(raw), privateKey };
}

export class OwnSecrets {
  readonly #stores: Stores;
  readonly #vault: Vault;

  constructor(stores: Stores, vault: Vault) {
    this.#stores = stores;
    this.#vault = vault;
  }

  /** A random text of 64 characters. */
  async text(name: string): Promise<string> {
    return await this.#made(name, async () => randomSecret());
  }

  async vapid(): Promise<Vapid> {
    const text = await this.#made(ownSecret.vapid, async () => JSON.stringify(await makeVapid()));
    return JSON.parse(text) as Vapid;
  }

  /** Two calls at once agree on what was stored first. */
  async #made(name: string, make: () => Promise<string>): Promise<string> {
    const known = await this.#vault.open(name);
    if (known !== undefined) return known;
    const unreadable = this.#stores.secrets.get(name);
    const made = await make();
    const sealed = await this.#vault.seal(name, made);
    const meanwhile = this.#stores.secrets.get(name);
    if (meanwhile && !unreadable) return (await this.#vault.open(name)) ?? made;
    this.#stores.secrets.put(sealed, Date.now());
    return made;
  }
}
