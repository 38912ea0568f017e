/** The endpoints of OAuth that programs call: discovery, registration, tokens. The library answers all but the first. */
import { authorizationServer, resourceOf } from "../../../auth/oauth/oauth.ts";
import { USUAL_SCOPE } from "../../../auth/oauth/oauth-scopes.ts";
import type { MessError } from "../../../mess/errors.ts";
import { readBytes } from "../../http/request-body.ts";
import { shield } from "./rate-limit.ts";

/** A registration is a name and some addresses. */
const MOST_REGISTRATION = 16 * 1024;

/** Clients in a browser read it from pages of their own. */
const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, OPTIONS",
  "Access-Control-Allow-Headers": "*",
};

/** Metadata of the protected resource (RFC 9728), which names this very origin as its authorization server. */
export function showResource(request: Request): Response {
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: CORS });
  const { origin } = new URL(request.url);
  return Response.json(
    {
      resource: resourceOf(origin),
      authorization_servers: [origin],
      scopes_supported: [USUAL_SCOPE],
      bearer_methods_supported: ["header"],
      resource_name: "MESS exchange",
      resource_documentation: `${origin}/skill/SKILL.md`,
    },
    { headers: { ...CORS, "Cache-Control": "max-age=300" } },
  );
}

export async function serveProtocol(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Promise<Response> {
  const server = authorizationServer(new URL(request.url).origin);
  return server
    ? await server.fetch(request, env, ctx)
    : oauthError(400, "invalid_request", "OAuth is served over https only, or on this machine.");
}

/** Registration is open to everyone (RFC 7591), so it is bounded in size and in number. */
export async function register(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Promise<Response> {
  if (request.method !== "POST") return await serveProtocol(request, env, ctx);
  const allowed = await shield(env, request, "register");
  if (!allowed.ok) return tooMany(allowed.error);
  const bytes = await readBytes(request, MOST_REGISTRATION);
  if (!bytes.ok)
    return oauthError(413, "invalid_client_metadata", `At most ${MOST_REGISTRATION} bytes.`);
  const { url, method, headers } = request;
  return await serveProtocol(new Request(url, { method, headers, body: bytes.value }), env, ctx);
}

const tooMany = ({ message, hint }: MessError): Response => {
  const response = oauthError(429, "temporarily_unavailable", `${message}. ${hint}`);
  response.headers.set("Retry-After", "60");
  return response;
};

const oauthError = (status: number, error: string, description: string): Response =>
  Response.json({ error, error_description: description }, { status, headers: CORS });
