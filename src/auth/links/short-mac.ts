/** Eighty bits that only the holder of the Worker's secret can compute, for codes that people and mails carry. */
import { deriveBits, sha256 } from "../hash.ts";

/** Crockford's digits: none is taken for another, in either case. */
const CROCKFORD_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const MAC_BYTES = 10;

/** Sixteen of Crockford's digits, the same for the same purpose and input. */
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

/** Digests are compared, so that the time taken tells nothing of the right one. */
export const isSameMac = async (given: string, expected: string): Promise<boolean> =>
  (await sha256(given)) === (await sha256(expected));
