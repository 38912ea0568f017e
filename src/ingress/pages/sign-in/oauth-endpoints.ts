/** The OAuth endpoints for programs: discovery, registration, tokens. The library serves all but the first. */
import { decodeJwt } from "jose";
import { getAuthorizationServer } from "../../../auth/oauth/oauth.ts";
import {
  buildResourceUri,
  DEFAULT_MCP_PATH,
  isMcpPath,
  MCP_RESOURCES,
} from "../../../auth/oauth/resources.ts";
import { exchangeOnce } from "../../../auth/oauth/refresh-reuse.ts";
import { decodeBase64 } from "../../../bytes.ts";
import { DEFAULT_SCOPE } from "../../../auth/oauth/oauth-scopes.ts";
import type { MessError } from "../../../mess/errors.ts";
import { readBytes } from "../../http/request-body.ts";
import { checkAttemptRate } from "../../../auth/rates/attempt-rate.ts";
import { isSafeClientId } from "./client-ids.ts";

/** Maximum bytes of a registration: a name and some addresses. */
const MAX_REGISTRATION_BYTES = 16 * 1024;

/** Maximum bytes of a token request: some tokens, or a client's assertion. */
const MAX_TOKEN_REQUEST_BYTES = 64 * 1024;

/** Clients in a browser read the metadata from pages of other origins. */
const CORS_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, OPTIONS",
  "Access-Control-Allow-Headers": "*",
};

export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";

/**
 * Metadata of a protected resource (RFC 9728), which names its own origin as the authorization server. Older clients
 * leave out the resource's path.
 */
export function showResourceMetadata(request: Request): Response {
  if (request.method === "OPTIONS")
    return new Response(null, { status: 204, headers: CORS_HEADERS });
  const { origin, pathname } = new URL(request.url);
  const given = pathname.slice(RESOURCE_METADATA_PATH.length);
  const path = isMcpPath(given) ? given : DEFAULT_MCP_PATH;
  const { name, documentation } = MCP_RESOURCES[path];
  return Response.json(
    {
      resource: buildResourceUri(origin, path),
      authorization_servers: [origin],
      scopes_supported: [DEFAULT_SCOPE],
      bearer_methods_supported: ["header"],
      resource_name: name,
      resource_documentation: `${origin}${documentation}`,
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

/**
 * The token endpoint, which also revokes tokens. A client id that is a local address is unknown, and a refresh token
 * that is used again ends its grant.
 */
export async function serveTokens(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Promise<Response> {
  const { origin } = new URL(request.url);
  const server = getAuthorizationServer(origin);
  if (request.method !== "POST" || !server) return await serveOAuthEndpoint(request, env, ctx);
  const bytes = await readBytes(request, MAX_TOKEN_REQUEST_BYTES);
  if (!bytes.ok)
    return buildOAuthError(413, "invalid_request", `At most ${MAX_TOKEN_REQUEST_BYTES} bytes.`);
  const { url, method, headers } = request;
  const form = new URLSearchParams(new TextDecoder().decode(bytes.value));
  if (!listClientIds(headers, form).every((id) => isSafeClientId(id, origin)))
    return buildOAuthError(401, "invalid_client", "The client is not known.");
  const serve = () =>
    server.fetch(new Request(url, { method, headers, body: bytes.value }), env, ctx);
  if (form.get("grant_type") !== "refresh_token") return await serve();
  const token = form.get("refresh_token") ?? "";
  const response = await exchangeOnce(env, server.getOAuthApi(env), token, serve, Date.now());
  return (
    response ??
    buildOAuthError(
      400,
      "invalid_grant",
      "This refresh token was used before, so all access ended; ask the person to connect again.",
    )
  );
}

/** All client ids of the request: in its body, as the user name of its credentials, and as an assertion's issuer. */
function listClientIds(headers: Headers, form: URLSearchParams): string[] {
  const basic = /^basic\s+(\S+)$/i.exec(headers.get("Authorization") ?? "")?.[1] ?? "";
  const bytes = decodeBase64(basic);
  const [encoded = ""] = new TextDecoder().decode(bytes ?? new Uint8Array()).split(":", 1);
  return [
    ...form.getAll("client_id"),
    ...new URLSearchParams(`id=${encoded}`).getAll("id"),
    ...form.getAll("client_assertion").map(readIssuer),
  ];
}

function readIssuer(assertion: string): string {
  try {
    return decodeJwt(assertion).iss ?? "";
  } catch {
    return "";
  }
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
