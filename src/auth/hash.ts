/** Digests of contents and of secrets, random secrets, and keys derived from the Worker's secret. */

const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** SHA-256 in hex; a text is encoded as UTF-8. */
export async function hashSha256(input: string | BufferSource): Promise<string> {
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Compares two secrets by their digests, so that neither length nor timing reveals the expected one. */
export async function isSameSecret(expected: string, actual: string): Promise<boolean> {
  const [one, other] = await Promise.all([hashSha256(expected), hashSha256(actual)]);
  let differences = 0;
  for (let at = 0; at < one.length; at++) differences |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return differences === 0;
}

/** 32 random bytes in hex: 64 characters. */
export const generateSecret = (): string => toHex(crypto.getRandomValues(new Uint8Array(32)));

/**
 * Derives a secret in hex with HKDF-SHA-256: always the same for the same purpose and input, and computable only with
 * `secret`.
 */
export async function deriveSecret(
  secret: string,
  purpose: string,
  input: string,
): Promise<string> {
  return toHex(new Uint8Array(await deriveBits(secret, purpose, input)));
}

/** Derives 32 bytes for one purpose, so that no two uses of the Worker's secret share a key. */
export async function deriveBits(
  secret: string,
  purpose: string,
  input = "",
): Promise<ArrayBuffer> {
  const encoder = new TextEncoder();
  const material = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, [
    "deriveBits",
  ]);
  return await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt: encoder.encode(purpose), info: encoder.encode(input) },
    material,
    256,
  );
}

const hmacKeys = new Map<string, CryptoKey>();

/**
 * Derives the key that signs the tokens of one purpose. Keys are cached, since callbacks and links verify one per call.
 * The cache holds no promises: workerd cancels a request that awaits I/O which another request started.
 */
export async function getHmacKey(secret: string, purpose: string): Promise<CryptoKey> {
  const name = `${purpose}\n${secret}`;
  const cachedKey = hmacKeys.get(name);
  if (cachedKey) return cachedKey;
  const bits = await deriveBits(secret, purpose);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bits, hmac, false, ["sign", "verify"]);
  hmacKeys.set(name, key);
  return key;
}
