/** 80-bit MACs under the Worker's secret, for codes that people type and mails carry. */
import { deriveBits, hashSha256 } from "../hash.ts";

/** Crockford's base32 alphabet, which has no look-alike characters and ignores case. */
const CROCKFORD_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const MAC_BYTES = 10;

/** A MAC of 16 base32 digits, deterministic for a purpose and an input. */
export async function computeShortMac(
  secret: string,
  purpose: string,
  input: string,
): Promise<string> {
  const bits = await deriveBits(secret, purpose, input);
  let left = 0;
  let pendingBits = 0;
  let text = "";
  for (const byte of new Uint8Array(bits, 0, MAC_BYTES)) {
    pendingBits = (pendingBits << 8) | byte;
    for (left += 8; left >= 5; left -= 5)
      text += CROCKFORD_DIGITS[(pendingBits >> (left - 5)) & 31];
    pendingBits &= (1 << left) - 1;
  }
  return text;
}

/** Compares digests, so that the timing does not reveal the expected MAC. */
export const isSameMac = async (actual: string, expected: string): Promise<boolean> =>
  (await hashSha256(actual)) === (await hashSha256(expected));
