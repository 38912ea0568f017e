/** What every request to an MCP server has in common: its envelope, its headers and where its answer is. */
import type { JsonMap } from "../../mess/json.ts";
import type { Egress } from "../../egress/egress.ts";
import type { SendResult } from "../channel.ts";
import { readRetryAfter } from "../shared/send-failures.ts";
import { readMessageStream } from "./json-rpc-messages.ts";

export const HANDSHAKE_VERSION = "2025-11-25";
export const MODERN_VERSION = "2026-07-28";
export const CLIENT_INFO = { name: "mess", version: "1" };
const META_PREFIX = "io.modelcontextprotocol";
/** The extension by which a server answers with a task (SEP-2663). */
const TASKS_EXTENSION_KEY = `${META_PREFIX}/tasks`;
/** Statuses under which a server answers with an error of JSON-RPC that says what it does not know. */
export const NO_HANDSHAKE_STATUSES = [200, 400, 404, 405];
const GONE_STATUS = 410;

export interface McpServer {
  readonly url: string;
  readonly token?: string;
}

/** The server was not reached, or wanted nothing of us. */
export interface ServerFailure {
  readonly ok: false;
  readonly reason: string;
  readonly status?: number;
  readonly headers?: Headers;
}

/** The message that ends an answer: a result or an error; undefined where there is none, or it cannot be read. */
export async function readAnswer(response: Response): Promise<JsonMap | undefined> {
  try {
    for await (const message of readMessageStream(response))
      if ("result" in message || "error" in message) return message;
  } catch {
    // It broke off, or is too long for an answer of few words.
  }
  return undefined;
}

/** What each request of 2026-07-28 says of its client. */
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

/** What an attempt comes to where the server was not reached, or wanted nothing of it. */
export function toServerFailure(
  { reason, status, headers }: ServerFailure,
  now: number,
): SendResult {
  const wait = readRetryAfter(headers?.get("Retry-After") ?? null, now);
  return {
    ok: false,
    reason,
    ...(wait === undefined ? {} : { retryAfterSeconds: wait }),
    ...(status === GONE_STATUS ? { isPermanent: true } : {}),
  };
}
