/** The pause of the classifier after calls that it did not answer. */
import { exponential } from "../../object/retry.ts";

const getBackoffMs = exponential(5_000, 900_000);
/** A service that asks for more time is tried again after this time, in case the header was wrong. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * @param failures in a row, 1 or more
 * @param random from 0 to 1: the sources of a household share a classifier, and must not come back at once
 */
export function getPauseMs(
  failures: number,
  retryAfterSeconds: number | undefined,
  random: number,
): number {
  const backoffMs = getBackoffMs(failures)! * (0.5 + random / 2);
  if (retryAfterSeconds === undefined) return Math.round(backoffMs);
  const askedMs = Math.min(retryAfterSeconds * 1_000, MAX_RETRY_AFTER_MS);
  // Never before the time that the service asked for.
  return Math.round(Math.max(backoffMs, askedMs * (1 + random / 10)));
}

/** An answer that cannot be read costs as much as another one. */
const MAX_UNREADABLE_ANSWERS = 5;

/** Milliseconds before a message is tried again after unreadable answers; undefined to leave it to people and agents. */
export const getUnreadableRetryMs = exponential(600_000, 86_400_000, MAX_UNREADABLE_ANSWERS);

/** After so many failures at the same message, other messages are tried before it. */
const MAX_STUCK_CALLS = 3;
const STUCK_RETRY_MS = 3_600_000;

/** Milliseconds before a message is tried again at which the classifier has failed without an answer. */
export const getStuckRetryMs = (failures: number): number =>
  failures < MAX_STUCK_CALLS ? 0 : STUCK_RETRY_MS;
