/** Limits the attempts of unauthenticated callers by address and purpose, which slows down guessing. */
import type { Outcome } from "../../mess/errors.ts";
import { QUOTAS, refuseQuota } from "../../mess/quotas.ts";
import { ok } from "../../mess/result.ts";
import { getCallerAddress } from "./caller-address.ts";

export async function checkAttemptRate(
  env: Pick<Env, "STRANGERS">,
  request: Request,
  purpose: string,
): Promise<Outcome<true>> {
  const address = getCallerAddress(request) ?? "unknown";
  const { success } = await env.STRANGERS.limit({ key: `${purpose} ${address}` });
  return success
    ? ok(true)
    : refuseQuota("attempts_per_address", QUOTAS.attempts_per_address.limit);
}
