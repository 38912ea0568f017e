/** Authenticates OAuth access tokens as members, one in each household. */
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { grantPropsSchema, findActiveMemberships } from "./grants.ts";
import { getAuthorizationServer, buildResourceUri } from "./oauth.ts";
import type { Principal } from "../principal.ts";
import { getLesserRole } from "../roles.ts";
import { scopesToRole } from "./oauth-scopes.ts";
import { refuseUnauthenticated } from "../unauthenticated.ts";

/**
 * Authenticates the bearer of an access token in every household of the grant. Malformed, unknown, expired and revoked
 * tokens, and tokens for another resource, get the same refusal.
 */
export async function authenticateGrant(
  env: Env,
  origin: string,
  token: string,
): Promise<Outcome<readonly [Principal, ...Principal[]]>> {
  const server = getAuthorizationServer(origin);
  const valid = await server?.validateToken<unknown>(buildResourceUri(origin), token, env);
  const props = grantPropsSchema.safeParse(valid?.props);
  const maxRole = scopesToRole(valid?.scope ?? []);
  if (!props.success || !maxRole) return refuseUnauthenticated();
  const activeMemberships = await findActiveMemberships(env, props.data);
  const [first, ...others] = activeMemberships.map(({ household, actor, role }): Principal => ({
    household,
    actor,
    role: getLesserRole(role, maxRole),
    credential: `grant:${props.data.grant}`,
  }));
  return first ? ok([first, ...others]) : refuseUnauthenticated();
}
