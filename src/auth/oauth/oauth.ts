/**
 * The OAuth 2.1 authorization server, with one issuer for each origin of the Worker. `access-tokens.ts` decides what a
 * token may do.
 */
import {
  type ClientRegistrationCallbackOptions,
  OAuthAuthorizationServer,
  OAuthError,
} from "@cloudflare/workers-oauth-provider";
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { isLoopback } from "../loopback.ts";
import { grantPropsSchema, findActiveMemberships } from "./grants.ts";
import { ALL_SCOPES } from "./oauth-scopes.ts";
import { buildResourceUri, DEFAULT_MCP_PATH, MCP_PATHS } from "./resources.ts";

export const AUTHORIZE_PATH = "/authorize";
export const TOKEN_PATH = "/oauth/token";
export const REGISTER_PATH = "/oauth/register";

/** Seconds. */
const ACCESS_TOKEN_SECONDS = 3_600;
const IDLE_GRANT_SECONDS = 90 * 86_400;
/**
 * Lasts longer than any grant, since a client is renewed when a grant is refreshed after half of the client's lifetime.
 */
const CLIENT_SECONDS = 2 * IDLE_GRANT_SECONDS;

const serversByOrigin = new Map<string, OAuthAuthorizationServer<Env>>();
const MAX_SERVERS = 16;

/** The server for this origin; undefined if tokens would be sent in plain text. */
export function getAuthorizationServer(origin: string): OAuthAuthorizationServer<Env> | undefined {
  const known = serversByOrigin.get(origin);
  if (known) return known;
  const { protocol, hostname } = new URL(origin);
  if (protocol !== "https:" && !isLoopback(hostname)) return undefined;
  const made = createAuthorizationServer(origin);
  if (serversByOrigin.size >= MAX_SERVERS) serversByOrigin.clear();
  serversByOrigin.set(origin, made);
  return made;
}

const createAuthorizationServer = (origin: string): OAuthAuthorizationServer<Env> =>
  new OAuthAuthorizationServer<Env>({
    issuer: origin,
    resources: MCP_PATHS.map((path) => buildResourceUri(origin, path)),
    defaultResource: buildResourceUri(origin, DEFAULT_MCP_PATH),
    legacyGrantResource: buildResourceUri(origin, DEFAULT_MCP_PATH),
    authorizeEndpoint: AUTHORIZE_PATH,
    tokenEndpoint: TOKEN_PATH,
    clientRegistrationEndpoint: REGISTER_PATH,
    // A local exchange could be made to connect to this machine or its network: the flag `global_fetch_strictly_public`
    // has no effect there, and a public name can have a private address.
    clientIdMetadataDocumentEnabled: !isLoopback(new URL(origin).hostname),
    allowPrivateUseRedirectUris: true,
    scopesSupported: [...ALL_SCOPES],
    accessTokenTTL: ACCESS_TOKEN_SECONDS,
    refreshTokenTTL: IDLE_GRANT_SECONDS,
    refreshTokenIdleTTL: IDLE_GRANT_SECONDS,
    clientRegistrationTTL: CLIENT_SECONDS,
    clientRegistrationCallback: checkRegistration,
    tokenExchangeCallback: async ({ props, env }) => {
      const read = grantPropsSchema.safeParse(props);
      const activeMemberships = read.success ? await findActiveMemberships(env, read.data) : [];
      // The client then asks the person to connect again. A token without memberships would make it retry endlessly.
      if (!read.success || activeMemberships.length === 0)
        throw new OAuthError("invalid_grant", {
          description: "This access was revoked; ask the person to connect again.",
        });
      return { newProps: { grant: read.data.grant, memberships: activeMemberships } };
    },
    onError: () => undefined,
  });

const shortTextSchema = boundedTextSchema(LIMITS.nameChars).min(1);

/** The accepted metadata at client registration. The library validates the redirect addresses themselves. */
const clientMetadataSchema = z.object({
  client_name: shortTextSchema.optional(),
  redirect_uris: z.array(boundedTextSchema(1_024)).min(1).max(10),
  client_uri: boundedTextSchema(1_024).optional(),
  logo_uri: boundedTextSchema(1_024).optional(),
});

function checkRegistration({ clientMetadata }: ClientRegistrationCallbackOptions) {
  const read = clientMetadataSchema.safeParse(clientMetadata);
  if (read.success) return undefined;
  const [issue] = read.error.issues;
  const field = issue?.path.map(String).join(".") ?? "";
  return {
    code: issue?.path[0] === "redirect_uris" ? "invalid_redirect_uri" : "invalid_client_metadata",
    description: `${field}: ${(issue?.message ?? "not valid").toLowerCase()}. At most 10 redirect_uris of 1024 characters; client_name of at most 128.`,
  };
}
