/** A coarse limit for each IP address and purpose, which slows down guessing by unauthenticated callers. */
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
    : refuse(
        "rate_limited",
        "too many attempts from this address",
        "Wait a minute, then try again.",
      );
}
