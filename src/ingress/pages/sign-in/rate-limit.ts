/** Strangers may try, but not endlessly: a coarse limit for each address and purpose. */
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";

export async function checkRateLimit(
  env: Pick<Env, "STRANGERS">,
  request: Request,
  purpose: string,
): Promise<Outcome<true>> {
  const address = request.headers.get("CF-Connecting-IP") ?? "unknown";
  const { success } = await env.STRANGERS.limit({ key: `${purpose} ${address}` });
  return success
    ? ok(true)
    : refuse("rate_limited", "too many tries from this address", "Wait a minute, then try again.");
}
