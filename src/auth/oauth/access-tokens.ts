/** Authenticates OAuth access tokens as members, one in each household. */
import { defined } from "../../mess/defined.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { grantPropsSchema, findActiveMemberships } from "./grants.ts";
import { CLIENT_MESSAGE_PATHS } from "../message-paths.ts";
import { getAuthorizationServer } from "./oauth.ts";
import { buildResourceUri, type McpPath } from "./resources.ts";
import type { Principal } from "../principal.ts";
import { getLesserRole, isRoleWithin } from "../roles.ts";
import { scopesToRole } from "./oauth-scopes.ts";
import { refuseUnauthenticated } from "../unauthenticated.ts";

/**
 * Authenticates the bearer of an access token in every household of the grant. Malformed, unknown, expired and revoked
 * tokens, and tokens for another resource, get the same refusal.
 * @param paths of the resources whose tokens are accepted
 */
export async function authenticateGrant(
  env: Env,
  origin: string,
  paths: readonly McpPath[],
  token: string,
): Promise<Outcome<readonly [Principal, ...Principal[]]>> {
  const found = await validateToken(env, origin, paths, token);
  const valid = found?.token;
  const props = grantPropsSchema.safeParse(valid?.props);
  const maxRole = scopesToRole(valid?.scope ?? []);
  if (!props.success || !maxRole) return refuseUnauthenticated();
  const activeMemberships = await findActiveMemberships(env, props.data);
  const [first, ...others] = activeMemberships.map(
    ({ household, actor, role, readsAll }): Principal => ({
      household,
      actor,
      role: getLesserRole(role, maxRole),
      credential: `grant:${props.data.grant}`,
      ...defined({
        paths: MESSAGE_PATHS_BY_RESOURCE[found?.path ?? ""],
        // Only where the token's scopes include the role.
        readsAll: isRoleWithin(role, maxRole) ? readsAll : undefined,
      }),
    }),
  );
  return first ? ok([first, ...others]) : refuseUnauthenticated();
}

/** The resources whose tokens are limited to message sources (`Principal.paths`). */
const MESSAGE_PATHS_BY_RESOURCE: Readonly<Record<string, readonly string[]>> = {
  "/mcp/messages": CLIENT_MESSAGE_PATHS,
};

/** The token's claims and its resource if it was issued for one of the resources. */
async function validateToken(
  env: Env,
  origin: string,
  paths: readonly McpPath[],
  token: string,
): Promise<{ token: { props: unknown; scope: string[] }; path: McpPath } | null> {
  const server = getAuthorizationServer(origin);
  for (const path of paths) {
    const resource = buildResourceUri(origin, path);
    const valid = await server?.validateToken<unknown>(resource, token, env);
    if (valid) return { token: valid, path };
  }
  return null;
}
