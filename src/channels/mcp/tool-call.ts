/**
 * Calls one tool of an MCP server over Streamable HTTP: with the handshake and session of the 2025 revisions, or as
 * one request of 2026-07-28, whose servers may answer with a task (SEP-2663). The clients of the SDKs are not used:
 * they are as large as the rest of the Worker and bypass the egress check.
 */
import { defined } from "../../mess/defined.ts";
import { isMap, type JsonMap } from "../../mess/json.ts";
import type { MessError } from "../../mess/errors.ts";
import type { Egress } from "../../egress/egress.ts";
import { readMessageStream, ResponseTooLong } from "./json-rpc-messages.ts";
import { type NewTask, readTask } from "./task.ts";
import {
  readResponse,
  buildAuthorization,
  CLIENT_INFO,
  HANDSHAKE_VERSION,
  type McpServer,
  MODERN_VERSION,
  buildModernMeta,
  NO_HANDSHAKE_STATUSES,
  type PostJsonRpc,
  createPost,
  buildRequest,
  type ServerFailure,
} from "./http-client.ts";

/** Timeout for ending a session, which delays an answer that has already arrived. */
const CLOSE_TIMEOUT_MS = 2_000;
/** JSON-RPC: method not found. */
const METHOD_NOT_FOUND_CODE = -32_601;

export interface McpToolCall {
  readonly tool: string;
  readonly arguments: JsonMap;
  /** Identifies the call in progress notifications. */
  readonly progressToken: string;
  /** Called when data arrives, including the comments that keep a stream open. */
  readonly onData: () => void;
  /** Called in order; false ends the call. */
  readonly onProgress: (progress: ToolProgress) => Promise<boolean>;
}

export interface ToolProgress {
  progress: number;
  total?: number;
  message?: string;
}

/** The outcome of a call. A call without an answer may have been carried out. */
export type ToolCallOutcome =
  | { readonly outcome: "result"; readonly result: JsonMap }
  | { readonly outcome: "task"; readonly task: NewTask }
  /** The server answered without a result of the tool. */
  | { readonly outcome: "refused"; readonly reason: string }
  | { readonly outcome: "stopped" }
  | { readonly outcome: "unanswered"; readonly reason: string };

export type McpConnection = { readonly ok: true; readonly session: McpSession } | ServerFailure;

export interface McpSession {
  call(call: McpToolCall): Promise<ToolCallOutcome>;
  /** Ends the session, if the server has one. Running work ends with it. */
  close(): Promise<void>;
}

/** Connects to the server and detects its revision. @param signal limits the total time of the call */
export async function connectServer(
  egress: Egress,
  server: McpServer,
  signal: AbortSignal,
): Promise<McpConnection> {
  const post = createPost(egress, server, signal);
  const opened = await post(
    buildRequest("initialize", {
      protocolVersion: HANDSHAKE_VERSION,
      capabilities: {},
      clientInfo: CLIENT_INFO,
    }),
  );
  if (!opened.ok) return { ok: false, reason: opened.error.message };
  const response = opened.value;
  const message = await readResponse(response);
  const result = message?.["result"];
  if (response.ok && isMap(result)) {
    const version = typeof result["protocolVersion"] === "string" ? result["protocolVersion"] : "";
    const session = response.headers.get("Mcp-Session-Id");
    const headers = {
      "MCP-Protocol-Version": version === "" ? HANDSHAKE_VERSION : version,
      ...defined({ "Mcp-Session-Id": session ?? undefined }),
    };
    const initialized = await post(
      { jsonrpc: "2.0", method: "notifications/initialized" },
      headers,
    );
    if (!initialized.ok) return { ok: false, reason: initialized.error.message };
    await initialized.value.body?.cancel();
    return { ok: true, session: createSession(post, egress, server, headers, {}) };
  }
  // A JSON-RPC error with these statuses means that the revision of the server has no handshake. Missing credentials
  // and rate limits have other statuses.
  if (isMap(message?.["error"]) && NO_HANDSHAKE_STATUSES.includes(response.status)) {
    const headers = { "MCP-Protocol-Version": MODERN_VERSION };
    return { ok: true, session: createSession(post, egress, server, headers, buildModernMeta()) };
  }
  const { status, headers } = response;
  return { ok: false, reason: `the MCP server answered ${status}`, status, headers };
}

function createSession(
  post: PostJsonRpc,
  egress: Egress,
  server: McpServer,
  headers: Record<string, string>,
  meta: JsonMap,
): McpSession {
  const modern = Object.keys(meta).length > 0;
  const respond = async (message: JsonMap): Promise<void> => {
    const responded = await post(message, headers);
    if (responded.ok) await responded.value.body?.cancel();
  };
  return {
    call: async (call) => {
      const message = buildRequest("tools/call", {
        name: call.tool,
        arguments: call.arguments,
        _meta: { ...meta, progressToken: call.progressToken },
      });
      const more = modern ? { "Mcp-Method": "tools/call", "Mcp-Name": call.tool } : {};
      const opened = await post(message, { ...headers, ...more });
      if (!opened.ok) return toUnanswered(opened.error);
      return await readOutcome(opened.value, message, call, respond);
    },
    close: async () => {
      if (!("Mcp-Session-Id" in headers)) return;
      const closed = await egress.open(server.url, {
        method: "DELETE",
        headers: { ...buildAuthorization(server), ...headers },
        signal: AbortSignal.timeout(CLOSE_TIMEOUT_MS),
      });
      if (closed.ok) await closed.value.body?.cancel();
    },
  };
}

const toUnanswered = ({ message }: MessError): ToolCallOutcome => ({
  outcome: "unanswered",
  reason: message,
});

/** Reads the answer to a call message by message, until its result. */
async function readOutcome(
  response: Response,
  { id }: JsonMap,
  call: McpToolCall,
  respond: (message: JsonMap) => Promise<void>,
): Promise<ToolCallOutcome> {
  try {
    for await (const message of readMessageStream(response, call.onData)) {
      const { method, params } = message;
      if (typeof method === "string") {
        if (message["id"] !== undefined) await respond(answerServerRequest(message));
        const progress =
          method === "notifications/progress" ? readProgress(params, call) : undefined;
        if (!progress || (await call.onProgress(progress))) continue;
        await respond({
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId: id ?? null, reason: "the task is no longer wanted" },
        });
        return { outcome: "stopped" };
      }
      const { result, error } = message;
      if (isMap(error)) return toRefused(`error ${Number(error["code"])}`);
      if (message["id"] !== id || !isMap(result)) continue;
      const task = readTask(result);
      if (task) return { outcome: "task", task };
      const { resultType: type = "complete" } = result;
      return type === "complete"
        ? { outcome: "result", result }
        : toRefused("with a result type that this client does not support");
    }
  } catch (error) {
    return error instanceof ResponseTooLong
      ? toRefused("more than 4 MB")
      : { outcome: "unanswered", reason: "no answer in time" };
  }
  return response.ok
    ? { outcome: "unanswered", reason: "the connection ended without an answer" }
    : toRefused(String(response.status));
}

const toRefused = (answer: string): ToolCallOutcome => ({
  outcome: "refused",
  reason: `the MCP server answered ${answer}`,
});

/** Answers a request of the server. Only `ping` is supported; no other client feature was offered. */
const answerServerRequest = ({ id = null, method }: JsonMap): JsonMap =>
  method === "ping"
    ? { jsonrpc: "2.0", id, result: {} }
    : {
        jsonrpc: "2.0",
        id,
        error: { code: METHOD_NOT_FOUND_CODE, message: "not offered by this client" },
      };

function readProgress(params: unknown, { progressToken }: McpToolCall): ToolProgress | undefined {
  if (!isMap(params) || params["progressToken"] !== progressToken) return undefined;
  const { progress, total, message } = params;
  if (typeof progress !== "number") return undefined;
  return {
    progress,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}
