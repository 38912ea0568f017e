/** When a failed webhook or another notice is sent again (Standard Webhooks). Pure. */
import type { RetryDelay } from "./retry.ts";

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

export const getWebhookRetryDelayMs: RetryDelay = (failures) => RETRY_DELAYS_MS[failures];
