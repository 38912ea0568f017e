/** How the deliveries of a thread call its household. */
import { exponential } from "../object/retry.ts";

/** Time limit of one call. */
export const HOUSEHOLD_TIMEOUT_MS = 10_000;
export const MIN_BACKOFF_MS = 2_000;
/** A household that does not respond is called again without a limit of attempts. */
export const HOUSEHOLD_RETRY = exponential(MIN_BACKOFF_MS, 5 * 60_000);
