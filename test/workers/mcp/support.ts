/** Sends protocol messages to the Worker's `/mcp`, as clients of both versions do. */
import type { Caller } from "../support.ts";

export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";
export const TASKS = "io.modelcontextprotocol/tasks";

/** A JSON-RPC response whose structure the test asserts. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Rpc = { result?: any; error?: { code: number; message: string; data?: any } };

export interface Sent {
  response: Response;
  /** Every message of the response, notifications first. */
  messages: (Rpc & { method?: string; params?: Record<string, unknown> })[];
}

/** Arguments of `fetch`, with headers that a test may extend. */
export interface RpcRequest {
  method: "POST";
  headers: Record<string, string>;
  body: string;
}

interface Options {
  /** Address of the MCP server. */
  path?: string;
  headers?: Record<string, string>;
  capabilities?: object;
  meta?: object;
}

let id = 0;

/** The body and headers of a request of the 2026-07-28 revision. */
export function buildModernRequest(
  method: string,
  params: Record<string, unknown> = {},
  { headers = {}, capabilities = {}, meta = {} }: Options = {},
): RpcRequest {
  const name = params["name"] ?? params["uri"] ?? params["taskId"];
  return {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": MODERN,
      "Mcp-Method": method,
      ...(typeof name === "string" ? { "Mcp-Name": name } : {}),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: ++id,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": MODERN,
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": capabilities,
          ...meta,
        },
      },
    }),
  };
}

/** The body and headers of a request of the 2025-11-25 revision, without a session. */
export const buildLegacyRequest = (
  method: string,
  params: object = {},
  headers: Record<string, string> = {},
): RpcRequest => ({
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": LEGACY,
    ...headers,
  },
  body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }),
});

/** Reads the complete response, as JSON or as a stream. */
export async function readReceived(response: Response): Promise<Sent> {
  const text = await response.clone().text();
  const stream = response.headers.get("Content-Type")?.includes("text/event-stream");
  const messages = stream
    ? text
        .split("\n")
        .filter((line) => line.startsWith("data: {"))
        .map((line) => JSON.parse(line.slice(6)) as Sent["messages"][number])
    : text === ""
      ? []
      : [JSON.parse(text) as Sent["messages"][number]];
  return { response, messages };
}

/** Sends a request of the 2026-07-28 revision and returns the final response. */
export async function callRpc(
  caller: Caller,
  method: string,
  params: Record<string, unknown> = {},
  options: Options = {},
): Promise<Rpc> {
  const { messages } = await readReceived(
    await caller.fetch(options.path ?? "/mcp", buildModernRequest(method, params, options)),
  );
  return messages.at(-1) ?? {};
}

export interface StreamMessage extends Rpc {
  id?: string | number;
  method?: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  params?: any;
}

/** Opens a stream; `readNext` returns its messages one by one, and undefined at its end. */
export function readStream(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const readNext = async () => {
    for (;;) {
      const found = /data: (\{.*\})\n\n/.exec(text);
      if (found) {
        text = text.slice(found.index + found[0].length);
        return JSON.parse(found[1]!) as StreamMessage;
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += value;
    }
  };
  return { readNext, close: () => reader.cancel() };
}

/** Opens a session as a client of the 2025 revisions does; returns the headers of its later requests. */
export async function openSession(
  caller: Caller,
  capabilities: object = {},
  path = "/mcp",
): Promise<Record<string, string>> {
  const clientInfo = { name: "test", version: "1" };
  const handshake = { protocolVersion: LEGACY, capabilities, clientInfo };
  const response = await caller.fetch(path, buildLegacyRequest("initialize", handshake));
  await response.text();
  return { "Mcp-Session-Id": response.headers.get("Mcp-Session-Id") ?? "none" };
}

/** Sends a request of the 2025-11-25 revision and returns the final response. */
export async function callLegacy(
  caller: Caller,
  method: string,
  params: object,
  session: Record<string, string> = {},
  path = "/mcp",
): Promise<Rpc> {
  const request = buildLegacyRequest(method, params, session);
  return (await readReceived(await caller.fetch(path, request))).messages.at(-1) ?? {};
}

export interface ToolAnswer {
  text: string;
  isError: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any
  result: any;
}

/** Calls a tool; throws on a protocol error. */
export async function callTool(
  caller: Caller,
  name: string,
  args: object = {},
  options: Options = {},
): Promise<ToolAnswer> {
  const { result, error } = await callRpc(caller, "tools/call", { name, arguments: args }, options);
  if (error) throw new Error(`${error.code} ${error.message}`);
  const texts = (result.content ?? []) as { type: string; text?: string }[];
  return {
    text: texts.map(({ text }) => text ?? "").join("\n"),
    isError: result.isError === true,
    result,
  };
}

/** The ref of the thread in a tool's text. */
export const findRef = (text: string): string =>
  /\d{4}-\d\d-\d\d-\d{3,}[a-z0-9-]*/.exec(text)?.[0] ?? "no ref";
