/**
 * Counts the attempts of unauthenticated callers for `attempts_per_address`: by the binding, across isolates, and in this
 * isolate up to the number of LIMITS, which may be lower than that of the binding.
 */
import { getConfig } from "../../config.ts";
import { QUOTAS } from "../../mess/quotas.ts";

export type AttemptBindings = Pick<Env, "STRANGERS" | "MESS_SECRET" | "MESS_OPERATOR_KEY"> & {
  readonly LIMITS?: string;
};

const PERIOD_MS = (QUOTAS.attempts_per_address.retrySeconds ?? 60) * 1_000;
const MAX_COUNTED = 10_000;

/** Attempts of the current period by key, in this isolate. */
const counts = new Map<string, { attempts: number; ends: number }>();

export const getMaxAttempts = (env: AttemptBindings): number =>
  getConfig(env).limits.attempts_per_address;

/** Counts one attempt under the key; false beyond the limit. */
export async function countAttempt(
  env: AttemptBindings,
  key: string,
  now: number,
): Promise<boolean> {
  const max = getMaxAttempts(env);
  if (max === Infinity) return true;
  const known = counts.get(key);
  const current = known && known.ends > now ? known : { attempts: 0, ends: now + PERIOD_MS };
  current.attempts += 1;
  counts.delete(key);
  const [oldest] = counts.keys();
  if (counts.size >= MAX_COUNTED && oldest !== undefined) counts.delete(oldest);
  counts.set(key, current);
  return current.attempts <= max && (await env.STRANGERS.limit({ key })).success;
}
