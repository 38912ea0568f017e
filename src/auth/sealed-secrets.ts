/** Secrets of a household at rest: AES-GCM under a key that only the Worker's secret yields. */
import { deriveBits, deriveSecret } from "./hash.ts";

/** Which way of deriving the key a secret was sealed under. */
export const KEY_VERSION = 1;

export interface SealedSecret {
  version: number;
  iv: Uint8Array<ArrayBuffer>;
  bytes: Uint8Array<ArrayBuffer>;
}

const encodeUtf8 = (text: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

/** One key a household. @param secret MESS_SECRET */
export async function deriveSealingKey(secret: string, household: string): Promise<CryptoKey> {
  const bits = await deriveBits(secret, `mess secrets v${KEY_VERSION}`, household);
  return await crypto.subtle.importKey("raw", bits, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** What a sealed value is bound to: moved to another household or name, it does not open. */
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

/** Undefined where it was sealed under another secret, household, name or version. */
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

/** Tells values apart without telling anything of them: nobody without MESS_SECRET can try guesses on it. */
export async function computeFingerprint(
  secret: string,
  household: string,
  name: string,
  value: string,
): Promise<string> {
  const whole = JSON.stringify([household, name, value]);
  return (await deriveSecret(secret, "mess secret fingerprint", whole)).slice(0, 12);
}
