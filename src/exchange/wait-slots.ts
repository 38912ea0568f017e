/** Limits how many calls of a credential wait at the same time. Each holds a socket to an object open. */
import { getConfig } from "../config.ts";
import type { Principal } from "../auth/principal.ts";
import { getRateKey, type RateBindings } from "../auth/rates/request-rate.ts";
import type { Outcome } from "../mess/errors.ts";
import { refuseQuota } from "../mess/quotas.ts";
import { ok } from "../mess/result.ts";

/** Waiting calls in this isolate, by credential. */
const waiting = new Map<string, number>();

/** Takes a slot; the value gives it back. Refused where the credential has too many waiting calls already. */
export function takeWaitSlot(env: RateBindings, principal: Principal): Outcome<() => void> {
  const key = getRateKey(principal);
  const count = waiting.get(key) ?? 0;
  const { waits_per_credential: limit } = getConfig(env).limits;
  if (count >= limit) return refuseQuota("waits_per_credential", limit);
  waiting.set(key, count + 1);
  return ok(() => {
    const left = (waiting.get(key) ?? 1) - 1;
    if (left > 0) waiting.set(key, left);
    else waiting.delete(key);
  });
}

/** Runs `wait` in a slot of its own. */
export async function withWaitSlot<T>(
  env: RateBindings,
  principal: Principal,
  wait: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const slot = takeWaitSlot(env, principal);
  if (!slot.ok) return slot;
  try {
    return await wait();
  } finally {
    slot.value();
  }
}
