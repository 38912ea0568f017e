/** What every request to an MCP server has in common: its envelope, its headers and where its answer is. */
import type { JsonMap } from "../../mess/json.ts";
import type { Egress } from "../../egress/egress.ts";
import type { Sent } from "../channel.ts";
import { retryAfter } from "../shared/send-failures.ts";
import { messagesOf } from "./json-rpc-messages.ts";

export const HANDSHAKE = "2025-11-25";
export const MODERN = "2026-07-28";
export const CLIENT = { name: "mess", version: "1" };
const META = "io.modelcontextprotocol";
/** The extension by which a server answers with a task (SEP-2663). */
const TASKS = `${META}/tasks`;
/** Statuses under which a server answers with an error of JSON-RPC that says what it does not know. */
export const NO_HANDSHAKE = [200, 400, 404, 405];
const GONE = 410;

export interface McpServer {
  readonly url: string;
  readonly token?: string;
}

/** The server was not reached, or wanted nothing of us. */
export interface Unreached {
  readonly ok: false;
  readonly reason: string;
  readonly status?: number;
  readonly headers?: Headers;
}

/** The message that ends an answer: a result or an error; undefined where there is none, or it cannot be read. */
export async function answerTo(response: Response): Promise<JsonMap | undefined> {
  try {
    for await (const message of messagesOf(response))
      if ("result" in message || "error" in message) return message;
  } catch {
    // It broke off, or is too long for an answer of few words.
  }
  return undefined;
}

/** What each request of 2026-07-28 says of its client. */
export const modernMeta = (): JsonMap => ({
  [`${META}/protocolVersion`]: MODERN,
  [`${META}/clientInfo`]: CLIENT,
  [`${META}/clientCapabilities`]: { extensions: { [TASKS]: {} } },
});

export const request = (method: string, params: JsonMap): JsonMap => ({
  jsonrpc: "2.0",
  id: crypto.randomUUID(),
  method,
  params,
});

export type Post = (
  message: JsonMap,
  headers?: Record<string, string>,
) => ReturnType<Egress["open"]>;

export const authorization = ({ token }: McpServer): Record<string, string> =>
  token === undefined ? {} : { Authorization: `Bearer ${token}` };

export const poster =
  (egress: Egress, server: McpServer, signal: AbortSignal): Post =>
  (message, headers = {}) =>
    egress.open(server.url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...authorization(server),
        ...headers,
      },
      body: JSON.stringify(message),
      signal,
    });

/** What an attempt comes to where the server was not reached, or wanted nothing of it. */
export function unreached({ reason, status, headers }: Unreached, now: number): Sent {
  const wait = retryAfter(headers?.get("Retry-After") ?? null, now);
  return {
    ok: false,
    reason,
    ...(wait === undefined ? {} : { retry_after: wait }),
    ...(status === GONE ? { gone: true } : {}),
  };
}
