import type { Principal } from "./principal.ts";

/** Builds a thread's idempotency key for one message of a call with an `Idempotency-Key`. */
export const buildCallKey = (
  { actor }: Pick<Principal, "actor">,
  index: number,
  key: string,
): string => `${actor}/${index}/${key}`;
