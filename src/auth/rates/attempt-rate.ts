/** Limits the attempts of unauthenticated callers by address and purpose, which slows down guessing. */
import type { Outcome } from "../../mess/errors.ts";
import { refuseQuota } from "../../mess/quotas.ts";
import { ok } from "../../mess/result.ts";
import { getCallerAddress } from "./caller-address.ts";
import { type AttemptBindings, countAttempt, getMaxAttempts } from "./count-attempt.ts";

export async function checkAttemptRate(
  env: AttemptBindings,
  request: Request,
  purpose: string,
): Promise<Outcome<true>> {
  const address = getCallerAddress(request) ?? "unknown";
  return (await countAttempt(env, `${purpose} ${address}`, Date.now()))
    ? ok(true)
    : refuseQuota("attempts_per_address", getMaxAttempts(env));
}
