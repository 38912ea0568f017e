/**
 * Streamable HTTP for both protocol generations: a new server for each request, header normalization, and the Origin
 * and Host policy. It does not depend on the exchange, so the conformance suite can test it alone.
 */
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServerFactory,
} from "@modelcontextprotocol/server";
import { createMcpHandler, type StatelessMcpHandler } from "agents/mcp/server";
import { log } from "../../../log.ts";
import { ERRORS, type MessError } from "../../../mess/errors.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { readUtf8, readBytes } from "../../http/request-body.ts";
import { isLegacyRead, toLegacyError } from "./legacy-errors.ts";
import { isMap } from "../../../mess/json.ts";
import type { ClientSession } from "../sessions/client-session.ts";
import { createSessionId, SESSION_HEADER } from "../sessions/session-id.ts";
import { acceptClientResponse, isClientResponse } from "../sessions/client-responses.ts";
import { normalizeHeaders, readBodyVersion } from "./normalize-headers.ts";
import { checkListen } from "../tasks/protocol.ts";

/** Maximum nesting of a body: JSON-RPC message, call, arguments, and the depth that MESS allows. */
const MAX_DEPTH = LIMITS.depth + 16;

const CORS_OPTIONS = {
  headers:
    "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID",
  methods: "GET, POST, DELETE, OPTIONS",
  exposeHeaders: "WWW-Authenticate, Mcp-Session-Id",
};

/** GET and DELETE need a session. */
const ALLOWED_WITHOUT_SESSION = "POST, OPTIONS";

/**
 * Host policy: plain HTTP only on localhost, which keeps credentials off the network and prevents DNS rebinding; with
 * HTTPS, the domain's routing checks the host. Origin policy: none (programs), the endpoint's own, and pages on
 * localhost.
 */
export function createTransportHandler(
  request: Request,
  factory: McpServerFactory,
): StatelessMcpHandler {
  const { hostname, protocol, pathname } = new URL(request.url);
  return createMcpHandler(factory, {
    // The application's router has chosen the address already.
    route: pathname,
    corsOptions: CORS_OPTIONS,
    ...(protocol === "http:" ? { allowedHostnames: localhostAllowedHostnames() } : {}),
    allowedOriginHostnames: [...new Set([hostname, ...localhostAllowedOrigins()])],
    maxRequestBodySize: LIMITS.bodyBytes,
    onerror: ({ name }) => log("mcp_error", { name }),
  });
}

/** Answers a preflight, or refuses a request by the policy, without creating a server. */
export const answerPreflight = (request: Request): Promise<Response> =>
  createTransportHandler(request, () => {
    throw new Error("a preflight needs no server");
  }).fetch(request);

/** Runs `serve` if the policy allows the request, and adds the headers for pages to its response. */
export async function checkPolicy(
  handler: StatelessMcpHandler,
  request: Request,
  serve: () => Promise<Response>,
): Promise<Response> {
  const { url, headers } = request;
  const checked = await handler.fetch(new Request(url, { method: "OPTIONS", headers }));
  if (!checked.ok) return checked;
  const response = await serve();
  const merged = new Headers(response.headers);
  for (const [name, value] of checked.headers) merged.set(name, value);
  return new Response(response.body, { status: response.status, headers: merged });
}

/**
 * Serves one request; reads its body once and within the limits.
 * @param session of a client of the 2025 revisions
 */
export async function serveMcp(
  handler: StatelessMcpHandler,
  request: Request,
  session?: ClientSession,
): Promise<Response> {
  if (request.method !== "POST") return withAllowedMethods(await handler.fetch(request));
  const bytes = await readBytes(request, LIMITS.bodyBytes);
  if (!bytes.ok) return buildRejection(bytes.error);
  const text = readUtf8(bytes.value);
  if (!text.ok) return buildRejection(text.error);
  const parsed = parseJson(text.value);
  if (isTooDeep(parsed))
    return buildRejection({
      code: "too_deep",
      message: "the message is nested too deeply",
      hint: `Use at most ${MAX_DEPTH} levels.`,
    });
  if (session && isClientResponse(parsed))
    return await checkPolicy(handler, request, () => acceptClientResponse(session, parsed));
  const error = checkListen(parsed);
  if (error) return Response.json(error, { status: 400 });
  const forwarded = new Request(request.url, {
    method: request.method,
    headers: normalizeHeaders(request.headers, parsed),
    body: text.value,
    signal: request.signal,
  });
  const response = await handler.fetch(
    forwarded,
    parsed === undefined ? {} : { parsedBody: parsed },
  );
  if (isLegacyRead(parsed)) return await toLegacyError(response);
  return isHandshake(parsed) ? withSession(response, parsed) : response;
}

const isHandshake = (message: unknown): message is { params?: unknown } =>
  isMap(message) && message["method"] === "initialize" && readBodyVersion(message) === undefined;

/** Gives a client of the 2025 revisions a session. A client that does not send it later is served without one. */
function withSession(response: Response, { params }: { params?: unknown }): Response {
  if (!response.ok) return response;
  const headers = new Headers(response.headers);
  headers.set(SESSION_HEADER, createSessionId(params));
  return new Response(response.body, { status: response.status, headers });
}

/** RFC 9110 requires the allowed methods with the status 405. */
function withAllowedMethods(response: Response): Response {
  if (response.status !== 405) return response;
  const headers = new Headers(response.headers);
  headers.set("Allow", ALLOWED_WITHOUT_SESSION);
  return new Response(response.body, { status: response.status, headers });
}

/** The error for a body that is not parsed, so its id is unknown. */
const buildRejection = ({ code, message, hint }: MessError): Response =>
  Response.json(
    { jsonrpc: "2.0", id: null, error: { code: -32_600, message: `${message}. ${hint}` } },
    { status: ERRORS[code] },
  );

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

function isTooDeep(value: unknown): boolean {
  let level: object[] = typeof value === "object" && value !== null ? [value] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((one) =>
      Object.values(one).filter(
        (part): part is object => typeof part === "object" && part !== null,
      ),
    );
  }
  return false;
}
