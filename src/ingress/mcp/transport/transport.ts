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
import { normalizeHeaders } from "./normalize-headers.ts";
import { checkListen } from "../tasks/protocol.ts";

export const MCP_PATH = "/mcp";

/** Maximum nesting of a body: JSON-RPC message, call, arguments, and the depth that MESS allows. */
const MAX_DEPTH = LIMITS.depth + 16;

const CORS_OPTIONS = {
  headers: "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Method, Mcp-Name",
  methods: "POST, OPTIONS",
  exposeHeaders: "WWW-Authenticate",
};

/**
 * Host policy: plain HTTP only on localhost, which keeps credentials off the network and prevents DNS rebinding; with
 * HTTPS, the domain's routing checks the host. Origin policy: none (programs), the endpoint's own, and pages on
 * localhost.
 */
export function createTransportHandler(
  request: Request,
  factory: McpServerFactory,
): StatelessMcpHandler {
  const { hostname, protocol } = new URL(request.url);
  return createMcpHandler(factory, {
    route: MCP_PATH,
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

/** Serves one request; reads its body once and within the limits. */
export async function serveMcp(handler: StatelessMcpHandler, request: Request): Promise<Response> {
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
  return isLegacyRead(parsed) ? await toLegacyError(response) : response;
}

/** RFC 9110 requires the allowed methods with the status 405. */
function withAllowedMethods(response: Response): Response {
  if (response.status !== 405) return response;
  const headers = new Headers(response.headers);
  headers.set("Allow", CORS_OPTIONS.methods);
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
