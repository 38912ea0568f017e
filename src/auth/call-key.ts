import type { Principal } from "./principal.ts";

/** Builds a thread's idempotency key for one message of a call with an `Idempotency-Key`. */
export const buildCallKey = (
  { actor }: Pick<Principal, "actor">,
  index: number,
  key: string,
): string => `${actor}/${index}/${key}`;

/** The same for a call that is no message; undefined without an `Idempotency-Key`. */
export const buildThreadCallKey = ({
  key,
  principal,
}: {
  key: string | undefined;
  principal: Pick<Principal, "actor">;
}): string | undefined => (key === undefined ? undefined : buildCallKey(principal, 0, key));
