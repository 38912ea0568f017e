/** The exchange's clock, by which the page counts: a device whose own clock is wrong counts down right all the same. */

/** Milliseconds that the exchange's clock is ahead of the device's. */
let offset = 0;

/** A difference that only a wrong clock makes. */
const MAX_OFFSET = 120_000;

/** @param {string | null} date the `Date` header of an answer */
export function learnClock(date) {
  const there = Date.parse(date ?? "");
  if (!Number.isNaN(there)) offset = Math.abs(there - Date.now()) > 2_000 ? there - Date.now() : 0;
}

export const now = () => Date.now() + offset;
export const isClockWrong = () => Math.abs(offset) > MAX_OFFSET;
