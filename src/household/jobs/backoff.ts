/** Milliseconds before the next attempt at a chore: one second, doubling up to an hour. */
export const getBackoffMs = (attempts: number): number => Math.min(1000 * 2 ** attempts, 3_600_000);
