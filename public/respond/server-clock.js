/** The exchange's clock, by which the page counts: a device whose own clock is wrong counts down right all the same. */

/** Milliseconds that the exchange's clock is ahead of the device's. */
let ahead = 0;

/** A difference that only a wrong clock makes. */
const WRONG = 120_000;

/** @param {string | null} date the `Date` header of an answer */
export function learnClock(date) {
  const there = Date.parse(date ?? "");
  if (!Number.isNaN(there)) ahead = Math.abs(there - Date.now()) > 2_000 ? there - Date.now() : 0;
}

export const now = () => Date.now() + ahead;
export const isClockWrong = () => Math.abs(ahead) > WRONG;
