/** When a failed delivery is tried again (Standard Webhooks). Pure. */
import type { RetryDelay } from "../object/retry.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays between attempts; the first attempt is made at once. */
const RETRY_DELAYS_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** Attempts after which a delivery is given up. */
export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length;

export const getRetryDelayMs: RetryDelay = (failures) => RETRY_DELAYS_MS[failures];

/** Longest `Retry-After` that is honored. */
const MAX_WAIT_MS = 24 * HOUR_MS;

/**
 * When the next attempt is due, in milliseconds since 1970; undefined when none is left.
 * @param attempts failed attempts, this one included
 * @param retryAfter seconds from the channel's `Retry-After`
 */
export function getNextAttempt(
  attempts: number,
  now: number,
  retryAfter: number | undefined,
): number | undefined {
  const delayMs = getRetryDelayMs(attempts);
  if (delayMs === undefined) return undefined;
  const requestedMs = Math.min(MAX_WAIT_MS, Math.max(0, (retryAfter ?? 0) * SECOND_MS));
  return now + Math.max(delayMs, requestedMs);
}
