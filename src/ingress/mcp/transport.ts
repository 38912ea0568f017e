/**
 * Streamable HTTP for both eras of the protocol: a fresh server for each request, headers put right, the Origin
 * and Host policy. It knows nothing of the exchange, so that the conformance suite can run against it.
 */
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServerFactory,
} from "@modelcontextprotocol/server";
import { createMcpHandler, type StatelessMcpHandler } from "agents/mcp/server";
import { log } from "../../log.ts";
import { ERRORS, type MessError } from "../../mess/errors.ts";
import { LIMITS } from "../../mess/limits.ts";
import { decodeUtf8, readBytes } from "../http/request-body.ts";
import { normalizeHeaders } from "./normalize-headers.ts";
import { checkListen } from "./tasks/protocol.ts";

export const MCP_PATH = "/mcp";

/** Nesting of a body: the envelope, the call, its arguments, and what MESS allows in them. */
const MAX_DEPTH = LIMITS.depth + 16;

const CORS_OPTIONS = {
  headers: "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Method, Mcp-Name",
  methods: "POST, OPTIONS",
  exposeHeaders: "WWW-Authenticate",
};

/**
 * Hosts: in clear text this machine only, which keeps credentials off the wire and a page that rebinds its name
 * away from a local endpoint; by HTTPS the domain's routing sees to it. Origins: none (programs), the endpoint's
 * own, and pages on the caller's machine.
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

/** Answers a preflight, or refuses it by the policy: no server is made for it. */
export const answerPreflight = (request: Request): Promise<Response> =>
  createTransportHandler(request, () => {
    throw new Error("a preflight needs no server");
  }).fetch(request);

/** Serves one request, whose body is read once and under the limits. */
export async function serveMcp(handler: StatelessMcpHandler, request: Request): Promise<Response> {
  if (request.method !== "POST") return await handler.fetch(request);
  const bytes = await readBytes(request, LIMITS.bodyBytes);
  if (!bytes.ok) return buildRejection(bytes.error);
  const text = decodeUtf8(bytes.value);
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
  return await handler.fetch(forwarded, parsed === undefined ? {} : { parsedBody: parsed });
}

/** A body that is not looked into any further has no id to answer to. */
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
