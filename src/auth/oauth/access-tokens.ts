/** From an access token to the members that its bearer is, one in each household. */
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { grantProps, liveMemberships } from "./grants.ts";
import { authorizationServer, resourceOf } from "./oauth.ts";
import type { Principal } from "../principal.ts";
import { lesser } from "../roles.ts";
import { roleOfScopes } from "./oauth-scopes.ts";
import { unauthenticated } from "../unauthenticated.ts";

/**
 * Who the bearer of an access token is, in every household that the grant opens. Malformed, unknown, expired and
 * revoked tokens, and those for another address, are the same refusal.
 */
export async function authenticateGrant(
  env: Env,
  origin: string,
  token: string,
): Promise<Outcome<readonly [Principal, ...Principal[]]>> {
  const server = authorizationServer(origin);
  const valid = await server?.validateToken<unknown>(resourceOf(origin), token, env);
  const props = grantProps.safeParse(valid?.props);
  const most = roleOfScopes(valid?.scope ?? []);
  if (!props.success || !most) return unauthenticated();
  const live = await liveMemberships(env, props.data);
  const [first, ...others] = live.map(({ household, actor, role }): Principal => ({
    household,
    actor,
    role: lesser(role, most),
    credential: `grant:${props.data.grant}`,
  }));
  return first ? ok([first, ...others]) : unauthenticated();
}
