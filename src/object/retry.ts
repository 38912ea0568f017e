/** Delays between the attempts of failed work. Pure. */

/** Milliseconds before the next attempt after this many failures (1 or more); undefined to give up. */
export type RetryDelay = (failures: number) => number | undefined;

/** Exponential backoff: `firstMs`, doubled after each failure up to `longestMs`; gives up after `maxFailures`. */
export const exponential =
  (firstMs: number, longestMs: number, maxFailures = Infinity): RetryDelay =>
  (failures) =>
    failures >= maxFailures ? undefined : Math.min(firstMs * 2 ** (failures - 1), longestMs);
