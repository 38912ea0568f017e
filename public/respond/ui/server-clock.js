/** The server's time, so that countdowns are correct on a device with a wrong clock. */

/** Milliseconds by which the server's clock is ahead. */
let offset = 0;

/** Milliseconds; a larger difference means that the device's clock is wrong. */
const MAX_OFFSET_MS = 120_000;

/** @param {string | null} date `Date` header of a response */
export function setServerClock(date) {
  const there = Date.parse(date ?? "");
  if (!Number.isNaN(there)) offset = Math.abs(there - Date.now()) > 2_000 ? there - Date.now() : 0;
}

export const now = () => Date.now() + offset;
export const isClockWrong = () => Math.abs(offset) > MAX_OFFSET_MS;
