/** The parts that all requests to an MCP server share: the envelope, the headers and reading the response. */
import { defined } from "../../mess/defined.ts";
import type { JsonMap } from "../../mess/json.ts";
import type { Egress } from "../../egress/egress.ts";
import type { SendResult } from "../channel.ts";
import { readRetryAfter } from "../shared/send-failures.ts";
import { readMessageStream } from "./json-rpc-messages.ts";

export const HANDSHAKE_VERSION = "2025-11-25";
export const MODERN_VERSION = "2026-07-28";
export const CLIENT_INFO = { name: "mess", version: "1" };
const META_PREFIX = "io.modelcontextprotocol";
/** The extension with which a server may answer with a task (SEP-2663). */
const TASKS_EXTENSION_KEY = `${META_PREFIX}/tasks`;
/** Statuses with which a server sends a JSON-RPC error about an unknown method. */
export const NO_HANDSHAKE_STATUSES = [200, 400, 404, 405];
const GONE_STATUS = 410;

export interface McpServer {
  readonly url: string;
  readonly token?: string;
}

/** The server could not be reached, or refused the request. */
export interface ServerFailure {
  readonly ok: false;
  readonly reason: string;
  readonly status?: number;
  readonly headers?: Headers;
}

/** The result or error in a response; undefined if there is none, or the response cannot be read. */
export async function readResponse(response: Response): Promise<JsonMap | undefined> {
  try {
    for await (const message of readMessageStream(response))
      if ("result" in message || "error" in message) return message;
  } catch {
    // The stream broke, or the response is too long.
  }
  return undefined;
}

/** The metadata about the client in each request of 2026-07-28. */
export const buildModernMeta = (): JsonMap => ({
  [`${META_PREFIX}/protocolVersion`]: MODERN_VERSION,
  [`${META_PREFIX}/clientInfo`]: CLIENT_INFO,
  [`${META_PREFIX}/clientCapabilities`]: { extensions: { [TASKS_EXTENSION_KEY]: {} } },
});

export const buildRequest = (method: string, params: JsonMap): JsonMap => ({
  jsonrpc: "2.0",
  id: crypto.randomUUID(),
  method,
  params,
});

export type PostJsonRpc = (
  message: JsonMap,
  headers?: Record<string, string>,
) => ReturnType<Egress["open"]>;

export const buildAuthorization = ({ token }: McpServer): Record<string, string> =>
  token === undefined ? {} : { Authorization: `Bearer ${token}` };

export const createPost =
  (egress: Egress, server: McpServer, signal: AbortSignal): PostJsonRpc =>
  (message, headers = {}) =>
    egress.open(server.url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...buildAuthorization(server),
        ...headers,
      },
      body: JSON.stringify(message),
      signal,
    });

/** Converts the failure to the result of a send. */
export function toServerFailure(
  { reason, status, headers }: ServerFailure,
  now: number,
): SendResult {
  const wait = readRetryAfter(headers?.get("Retry-After") ?? null, now);
  return {
    ok: false,
    reason,
    ...defined({ retryAfterSeconds: wait }),
    ...(status === GONE_STATUS ? { isPermanent: true } : {}),
  };
}
