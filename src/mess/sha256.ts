/** SHA-256 (FIPS 180-4) without I/O, for digests inside a transaction, where the platform's asynchronous one cannot run. */

const BLOCK_BYTES = 64;

/** The first `count` primes. */
function listPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let next = 2; primes.length < count; next++)
    if (primes.every((prime) => next % prime !== 0)) primes.push(next);
  return primes;
}

/** The first 32 bits of the fraction. */
const takeFraction = (value: number): number => ((value % 1) * 2 ** 32) | 0;

const PRIMES = listPrimes(64);
const ROUND_CONSTANTS = PRIMES.map((prime) => takeFraction(Math.cbrt(prime)));
const INITIAL_STATE = PRIMES.slice(0, 8).map((prime) => takeFraction(Math.sqrt(prime)));

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** Appends a 1 bit, zeros, and the length in bits. */
function pad(bytes: Uint8Array): DataView {
  const blocks = Math.ceil((bytes.length + 9) / BLOCK_BYTES);
  const padded = new Uint8Array(blocks * BLOCK_BYTES);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

function expandBlock(view: DataView, at: number): Int32Array {
  const words = new Int32Array(64);
  for (let index = 0; index < 16; index++) words[index] = view.getInt32(at + 4 * index);
  for (let index = 16; index < 64; index++) {
    const early = words[index - 15]!;
    const late = words[index - 2]!;
    words[index] =
      words[index - 16]! +
      (rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)) +
      words[index - 7]! +
      (rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10));
  }
  return words;
}

function compress(state: Int32Array, words: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let index = 0; index < 64; index++) {
    const one =
      (h +
        (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
        ((e & f) ^ (~e & g)) +
        ROUND_CONSTANTS[index]! +
        words[index]!) |
      0;
    const two =
      ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries())
    state[index] = state[index]! + word;
}

/** The digest of the text as UTF-8, in hex. */
export function computeSha256(text: string): string {
  const view = pad(new TextEncoder().encode(text));
  const state = Int32Array.from(INITIAL_STATE);
  for (let at = 0; at < view.byteLength; at += BLOCK_BYTES) compress(state, expandBlock(view, at));
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
