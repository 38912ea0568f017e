/** The OAuth endpoints for programs: discovery, registration, tokens. The library serves all but the first. */
import { getAuthorizationServer, buildResourceUri } from "../../../auth/oauth/oauth.ts";
import { DEFAULT_SCOPE } from "../../../auth/oauth/oauth-scopes.ts";
import type { MessError } from "../../../mess/errors.ts";
import { readBytes } from "../../http/request-body.ts";
import { checkAttemptRate } from "../../../auth/rates/attempt-rate.ts";

/** Maximum bytes of a registration: a name and some addresses. */
const MAX_REGISTRATION_BYTES = 16 * 1024;

/** Clients in a browser read the metadata from pages of other origins. */
const CORS_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, OPTIONS",
  "Access-Control-Allow-Headers": "*",
};

/** Metadata of the protected resource (RFC 9728), which names its own origin as the authorization server. */
export function showResourceMetadata(request: Request): Response {
  if (request.method === "OPTIONS")
    return new Response(null, { status: 204, headers: CORS_HEADERS });
  const { origin } = new URL(request.url);
  return Response.json(
    {
      resource: buildResourceUri(origin),
      authorization_servers: [origin],
      scopes_supported: [DEFAULT_SCOPE],
      bearer_methods_supported: ["header"],
      resource_name: "MESS exchange",
      resource_documentation: `${origin}/skill/SKILL.md`,
    },
    { headers: { ...CORS_HEADERS, "Cache-Control": "max-age=300" } },
  );
}

export async function serveOAuthEndpoint(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Promise<Response> {
  const server = getAuthorizationServer(new URL(request.url).origin);
  return server
    ? await server.fetch(request, env, ctx)
    : buildOAuthError(400, "invalid_request", "OAuth requires https, except on this machine.");
}

/** Registration is open to everyone (RFC 7591), so its size and rate are limited. */
export async function registerClient(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Promise<Response> {
  if (request.method !== "POST") return await serveOAuthEndpoint(request, env, ctx);
  const allowed = await checkAttemptRate(env, request, "register");
  if (!allowed.ok) return buildTooManyResponse(allowed.error);
  const bytes = await readBytes(request, MAX_REGISTRATION_BYTES);
  if (!bytes.ok)
    return buildOAuthError(
      413,
      "invalid_client_metadata",
      `At most ${MAX_REGISTRATION_BYTES} bytes.`,
    );
  const { url, method, headers } = request;
  return await serveOAuthEndpoint(
    new Request(url, { method, headers, body: bytes.value }),
    env,
    ctx,
  );
}

const buildTooManyResponse = ({ message, hint }: MessError): Response => {
  const response = buildOAuthError(429, "temporarily_unavailable", `${message}. ${hint}`);
  response.headers.set("Retry-After", "60");
  return response;
};

const buildOAuthError = (status: number, error: string, description: string): Response =>
  Response.json({ error, error_description: description }, { status, headers: CORS_HEADERS });
