/** The client of the tasks extension, beside the SDK's client, which does not support tasks. */
import {
  createTaskSessionFromClient,
  type RawClientDispatch,
} from "@modelcontextprotocol/ext-tasks/client";
import { defined } from "../../../src/mess/defined.ts";
import {
  buildAuthorizedOptions,
  type Connection,
  connectModernClient,
  getAddress,
  INFO,
} from "./stage.ts";

const TASKS = "io.modelcontextprotocol/tasks";
const PROTOCOL_VERSION = "2026-07-28";

let sent = 0;

/** @param capabilities that the client declares beside tasks */
export async function openTaskSession(
  onInputRequest: (request: unknown) => Promise<never>,
  capabilities: object = {},
  connection?: Connection,
) {
  const declared = { extensions: { [TASKS]: {} }, ...capabilities };
  const framing = {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: INFO,
    clientCapabilities: declared,
  };
  /** Sends requests that may return a task. */
  const rawDispatch: RawClientDispatch = async (request) => {
    const { method, params } = request as { method: string; params: Record<string, string> };
    const name = params["taskId"] ?? params["name"];
    const response = await fetch(getAddress(connection), {
      method: "POST",
      headers: {
        ...buildAuthorizedOptions(connection).requestInit.headers,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": PROTOCOL_VERSION,
        "Mcp-Method": method,
        ...defined({ "Mcp-Name": name }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++sent, ...(request as object) }),
    });
    const { result, error } = (await response.json()) as { result?: object; error?: object };
    return (error ? { kind: "error", error } : { kind: "result", result }) as Awaited<
      ReturnType<RawClientDispatch>
    >;
  };
  const client = await connectModernClient(undefined, declared, connection);
  return createTaskSessionFromClient(client as never, {
    endpointId: "exchange",
    rawDispatch,
    v2RequestFraming: framing,
    onInputRequest,
  });
}
