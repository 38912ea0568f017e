/**
 * Calling one tool of an MCP server over Streamable HTTP: with the handshake and session of the revisions of 2025,
 * or as one request of 2026-07-28 where the server knows no handshake. A server of that revision may answer with a
 * task (SEP-2663), which is asked about later. Small and over our own egress, where the clients of the SDKs weigh as
 * much as the rest of the Worker and bring their own fetch.
 */
import { isMap, type JsonMap } from "../../mess/json.ts";
import type { MessError } from "../../mess/errors.ts";
import type { Egress } from "../../egress/egress.ts";
import { messagesOf, TooLong } from "./json-rpc-messages.ts";
import { type NewTask, taskIn } from "./task.ts";
import {
  answerTo,
  authorization,
  CLIENT,
  HANDSHAKE,
  type McpServer,
  MODERN,
  modernMeta,
  NO_HANDSHAKE,
  type Post,
  poster,
  request,
  type Unreached,
} from "./http-client.ts";

/** Milliseconds for ending a session: the answer is there already, and waits for it. */
const GOODBYE = 2_000;
/** JSON-RPC: there is no such method. */
const NO_METHOD = -32_601;

export interface ToolCall {
  readonly tool: string;
  readonly arguments: JsonMap;
  /** Names the call in notifications of progress. */
  readonly progressToken: string;
  /** Something came, if only the sign that the connection is open. */
  readonly heard: () => void;
  /** Told in order; false ends the call. */
  readonly progress: (progress: Progress) => Promise<boolean>;
}

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/** What became of a call. Once it was sent, nobody can say whether a call without an answer was carried out. */
export type Called =
  | { readonly outcome: "result"; readonly result: JsonMap }
  | { readonly outcome: "task"; readonly task: NewTask }
  /** The server answered, and did not call the tool or could not. */
  | { readonly outcome: "refused"; readonly reason: string }
  | { readonly outcome: "stopped" }
  | { readonly outcome: "unanswered"; readonly reason: string };

export type Connected = { readonly ok: true; readonly session: McpSession } | Unreached;

export interface McpSession {
  call(call: ToolCall): Promise<Called>;
  /** Ends the session, where the server has one; what it is working on ends with it. */
  close(): Promise<void>;
}

/** Reaches the server and learns how it speaks. @param signal bounds the call's whole time */
export async function connect(
  egress: Egress,
  server: McpServer,
  signal: AbortSignal,
): Promise<Connected> {
  const post = poster(egress, server, signal);
  const opened = await post(
    request("initialize", {
      protocolVersion: HANDSHAKE,
      capabilities: {},
      clientInfo: CLIENT,
    }),
  );
  if (!opened.ok) return { ok: false, reason: opened.error.message };
  const response = opened.value;
  const answer = await answerTo(response);
  const result = answer?.["result"];
  if (response.ok && isMap(result)) {
    const version = typeof result["protocolVersion"] === "string" ? result["protocolVersion"] : "";
    const session = response.headers.get("Mcp-Session-Id");
    const headers = {
      "MCP-Protocol-Version": version === "" ? HANDSHAKE : version,
      ...(session === null ? {} : { "Mcp-Session-Id": session }),
    };
    const told = await post({ jsonrpc: "2.0", method: "notifications/initialized" }, headers);
    if (!told.ok) return { ok: false, reason: told.error.message };
    await told.value.body?.cancel();
    return { ok: true, session: sessionOf(post, egress, server, headers, {}) };
  }
  // Who answers a handshake with an error of JSON-RPC is a server, of a revision without handshakes; one that wants
  // other credentials, or rest, says so by its status.
  if (isMap(answer?.["error"]) && NO_HANDSHAKE.includes(response.status)) {
    const headers = { "MCP-Protocol-Version": MODERN };
    return { ok: true, session: sessionOf(post, egress, server, headers, modernMeta()) };
  }
  const { status, headers } = response;
  return { ok: false, reason: `the MCP server answered ${status}`, status, headers };
}

function sessionOf(
  post: Post,
  egress: Egress,
  server: McpServer,
  headers: Record<string, string>,
  meta: JsonMap,
): McpSession {
  const modern = Object.keys(meta).length > 0;
  const tell = async (message: JsonMap): Promise<void> => {
    const told = await post(message, headers);
    if (told.ok) await told.value.body?.cancel();
  };
  return {
    call: async (call) => {
      const message = request("tools/call", {
        name: call.tool,
        arguments: call.arguments,
        _meta: { ...meta, progressToken: call.progressToken },
      });
      const more = modern ? { "Mcp-Method": "tools/call", "Mcp-Name": call.tool } : {};
      const opened = await post(message, { ...headers, ...more });
      if (!opened.ok) return unanswered(opened.error);
      return await follow(opened.value, message, call, tell);
    },
    close: async () => {
      if (!("Mcp-Session-Id" in headers)) return;
      const closed = await egress.open(server.url, {
        method: "DELETE",
        headers: { ...authorization(server), ...headers },
        signal: AbortSignal.timeout(GOODBYE),
      });
      if (closed.ok) await closed.value.body?.cancel();
    },
  };
}

const unanswered = ({ message }: MessError): Called => ({ outcome: "unanswered", reason: message });

/** Reads the answer to a call as it comes, until its result. */
async function follow(
  response: Response,
  { id }: JsonMap,
  call: ToolCall,
  tell: (message: JsonMap) => Promise<void>,
): Promise<Called> {
  try {
    for await (const message of messagesOf(response, call.heard)) {
      const { method, params } = message;
      if (typeof method === "string") {
        if (message["id"] !== undefined) await tell(answerOurselves(message));
        const progress = method === "notifications/progress" ? progressOf(params, call) : undefined;
        if (!progress || (await call.progress(progress))) continue;
        await tell({
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId: id ?? null, reason: "the task is no longer to be done" },
        });
        return { outcome: "stopped" };
      }
      const { result, error } = message;
      if (isMap(error)) return refused(`error ${Number(error["code"])}`);
      if (message["id"] !== id || !isMap(result)) continue;
      const task = taskIn(result);
      if (task) return { outcome: "task", task };
      const { resultType: type = "complete" } = result;
      return type === "complete"
        ? { outcome: "result", result }
        : refused("with what this client has not offered");
    }
  } catch (error) {
    return error instanceof TooLong
      ? refused("more than 4 MB")
      : { outcome: "unanswered", reason: "no answer in time" };
  }
  return response.ok
    ? { outcome: "unanswered", reason: "the connection ended without an answer" }
    : refused(String(response.status));
}

const refused = (what: string): Called => ({
  outcome: "refused",
  reason: `the MCP server answered ${what}`,
});

/** A server may ask whether we are alive; all else it could ask of a client, we have not offered. */
const answerOurselves = ({ id = null, method }: JsonMap): JsonMap =>
  method === "ping"
    ? { jsonrpc: "2.0", id, result: {} }
    : { jsonrpc: "2.0", id, error: { code: NO_METHOD, message: "not offered by this client" } };

function progressOf(params: unknown, { progressToken }: ToolCall): Progress | undefined {
  if (!isMap(params) || params["progressToken"] !== progressToken) return undefined;
  const { progress, total, message } = params;
  if (typeof progress !== "number") return undefined;
  return {
    progress,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}
