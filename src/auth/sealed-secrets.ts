/** Encryption of a household's secrets at rest: AES-GCM under a key derived from the Worker's secret. */
import { deriveBits, deriveSecret } from "./hash.ts";

/** Version of the key derivation, stored with each sealed secret. */
export const KEY_VERSION = 1;

export interface SealedSecret {
  version: number;
  iv: Uint8Array<ArrayBuffer>;
  bytes: Uint8Array<ArrayBuffer>;
}

const encodeUtf8 = (text: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

/** Derives the key of one household. */
export async function deriveSealingKey(secret: string, household: string): Promise<CryptoKey> {
  const bits = await deriveBits(secret, `mess secrets v${KEY_VERSION}`, household);
  return await crypto.subtle.importKey("raw", bits, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** Binds a sealed value to its household and name, so that it cannot be opened if moved to another. */
const buildAdditionalData = (household: string, name: string): Uint8Array<ArrayBuffer> =>
  encodeUtf8(JSON.stringify([KEY_VERSION, household, name]));

export async function sealSecret(
  key: CryptoKey,
  household: string,
  name: string,
  value: string,
): Promise<SealedSecret> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const additionalData = buildAdditionalData(household, name);
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData },
    key,
    encodeUtf8(value),
  );
  return { version: KEY_VERSION, iv, bytes: new Uint8Array(sealed) };
}

/** Undefined if it was sealed under another Worker secret, household, name or version. */
export async function openSecret(
  key: CryptoKey,
  household: string,
  name: string,
  { version, iv, bytes }: SealedSecret,
): Promise<string | undefined> {
  if (version !== KEY_VERSION) return undefined;
  const additionalData = buildAdditionalData(household, name);
  try {
    const opened = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, key, bytes);
    return new TextDecoder().decode(opened);
  } catch {
    return undefined;
  }
}

/** A fingerprint to compare values. It cannot be used to test guesses without MESS_SECRET. */
export async function computeFingerprint(
  secret: string,
  household: string,
  name: string,
  value: string,
): Promise<string> {
  const material = JSON.stringify([household, name, value]);
  return (await deriveSecret(secret, "mess secret fingerprint", material)).slice(0, 12);
}
