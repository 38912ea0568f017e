/** When a delivery that failed is tried again (Standard Webhooks). Pure. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Milliseconds from one attempt to the next; the first is made at once. */
const PAUSES = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Attempts after which a delivery is given up. */
export const MOST_ATTEMPTS = PAUSES.length;

/** Milliseconds from the attempt of this number to the next; undefined after the last. */
export const pauseAfter = (attempt: number): number | undefined => PAUSES[attempt];

/** The longest that a channel may make us wait. */
const LONGEST_WAIT = 24 * HOUR;

/**
 * When the next attempt is due; undefined where none is left.
 * @param attempts that have failed, this one included
 * @param retryAfter seconds that the channel asked for
 */
export function nextAttempt(
  attempts: number,
  now: number,
  retryAfter: number | undefined,
): number | undefined {
  const pause = pauseAfter(attempts);
  if (pause === undefined) return undefined;
  const asked = Math.min(LONGEST_WAIT, Math.max(0, (retryAfter ?? 0) * SECOND));
  return now + Math.max(pause, asked);
}
