/** When a failed delivery is tried again (Standard Webhooks). Pure. */
import { getWebhookRetryDelayMs } from "../object/webhook-retry.ts";

/** Longest `Retry-After` that is honored. */
const MAX_WAIT_MS = 24 * 3_600_000;

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
  const delayMs = getWebhookRetryDelayMs(attempts);
  if (delayMs === undefined) return undefined;
  const requestedMs = Math.min(MAX_WAIT_MS, Math.max(0, (retryAfter ?? 0) * 1_000));
  return now + Math.max(delayMs, requestedMs);
}
