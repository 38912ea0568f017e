/** Annotations of tools that contact nobody outside the exchange. */

export const READS = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
/** Adds something; a repeated call adds it again or returns the first. */
export const ADDS = { readOnly: false, destructive: false, idempotent: false, openWorld: false };
/** Sets something, so that a repeated call changes nothing. */
export const SETS = { readOnly: false, destructive: false, idempotent: true, openWorld: false };
export const ENDS = { readOnly: false, destructive: true, idempotent: true, openWorld: false };
