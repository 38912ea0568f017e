/** Eighty bits that only the holder of the Worker's secret can compute, for codes that people and mails carry. */
import { deriveBits, sha256 } from "../hash.ts";

/** Crockford's digits: none is taken for another, in either case. */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const BYTES = 10;

/** Sixteen of Crockford's digits, the same for the same purpose and input. */
export async function shortMac(secret: string, purpose: string, input: string): Promise<string> {
  const bits = await deriveBits(secret, purpose, input);
  let left = 0;
  let held = 0;
  let text = "";
  for (const byte of new Uint8Array(bits, 0, BYTES)) {
    held = (held << 8) | byte;
    for (left += 8; left >= 5; left -= 5) text += DIGITS[(held >> (left - 5)) & 31];
    held &= (1 << left) - 1;
  }
  return text;
}

/** Digests are compared, so that the time taken tells nothing of the right one. */
export const sameSecret = async (given: string, right: string): Promise<boolean> =>
  (await sha256(given)) === (await sha256(right));
