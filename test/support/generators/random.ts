/** Random numbers from a seed, for repeatable tests. */
export interface Random {
  /** A number from 0 up to, not including, 1. */
  next(): number;
  /** An integer from `min` to `max`. */
  pickBetween(min: number, max: number): number;
}

/** The generator mulberry32. */
export function createSeededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, pickBetween: (min, max) => min + Math.floor(next() * (max - min + 1)) };
}
