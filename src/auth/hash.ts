/** Digests: of secrets, to be kept and compared in place of the secret itself, and of what is sent. */

const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** SHA-256 in hex; of a text's UTF-8 bytes. */
export async function sha256(input: string | BufferSource): Promise<string> {
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Whether two secrets are the same: compared by digests, whose length and timing tell nothing of them. */
export async function isSameSecret(expected: string, given: string): Promise<boolean> {
  const [one, other] = await Promise.all([sha256(expected), sha256(given)]);
  let differences = 0;
  for (let at = 0; at < one.length; at++) differences |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return differences === 0;
}

/** Random bytes in hex: 64 characters. */
export const generateSecret = (): string => toHex(crypto.getRandomValues(new Uint8Array(32)));

/**
 * A secret in hex that only the holder of `secret` can compute, the same for the same purpose and input
 * (HKDF-SHA-256).
 */
export async function deriveSecret(
  secret: string,
  purpose: string,
  input: string,
): Promise<string> {
  return toHex(new Uint8Array(await deriveBits(secret, purpose, input)));
}

/** 32 bytes for one purpose, so that no two uses of the Worker's secret share a key. */
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
