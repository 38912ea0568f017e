/** Authenticates callers by their credential. No other code decides who a caller is (decision 35). */
import type { Outcome } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { authenticateGrant } from "./oauth/access-tokens.ts";
import { authenticateKey } from "./api-keys.ts";
import { authenticateCallback } from "./callbacks/callback-caller.ts";
import { verifyLink } from "./links/links.ts";
import type { Principal } from "./principal.ts";
import { refuseUnauthenticated } from "./unauthenticated.ts";

/** Authenticates a member by its API key. */
export const authenticateMember = async (
  env: Pick<Env, "HOUSEHOLDS">,
  token: string | undefined,
): Promise<Outcome<Principal>> =>
  token === undefined ? refuseUnauthenticated() : await authenticateKey(env, token);

/** Authenticates a member by its API key, or the bearer of a link or callback token, who is limited to one thread. */
export const authenticateVisitor = async (
  env: Pick<Env, "HOUSEHOLDS">,
  secret: string,
  token: string | undefined,
): Promise<Outcome<Principal>> => {
  if (token?.split(".").length !== 3) return await authenticateMember(env, token);
  const link = await verifyLink(secret, token);
  if (link.ok || link.error.code !== "unauthenticated") return link;
  const caller = await authenticateCallback(env, secret, token);
  return caller.ok ? ok(caller.value.principal) : caller;
};

/**
 * Authenticates a caller as all of its members: one for an API key, one per household for an OAuth access token.
 * @param origin that the access token must have been issued for (RFC 8707)
 */
export const authenticateCaller = async (
  env: Env,
  origin: string,
  token: string | undefined,
): Promise<Outcome<readonly [Principal, ...Principal[]]>> => {
  if (token === undefined) return refuseUnauthenticated();
  if (!token.startsWith("mess_")) return await authenticateGrant(env, origin, token);
  const member = await authenticateKey(env, token);
  return member.ok ? ok([member.value]) : member;
};
