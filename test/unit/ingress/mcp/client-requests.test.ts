import { inputRequired, type JSONRPCMessage, McpServer } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { enableClientRequests } from "../../../../src/ingress/mcp/sessions/client-requests.ts";
import type { ClientSession } from "../../../../src/ingress/mcp/sessions/client-session.ts";
import { ok } from "../../../../src/mess/result.ts";

type Message = Record<string, unknown> & { method?: string; id?: unknown };

/** The stream to the client; records what is sent on it. */
class RecordingTransport {
  readonly sent: Message[] = [];
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  async start(): Promise<void> {}
  async close(): Promise<void> {
    this.onclose?.();
  }
  async send(message: JSONRPCMessage): Promise<void> {
    this.sent.push(message);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Calls a tool that asks its user, and returns its input responses as text. */
async function callAskingTool() {
  const expected = { signal: undefined as AbortSignal | undefined, respond: (_text: string) => {} };
  const session: ClientSession = {
    id: "session",
    version: "2025-11-25",
    capabilities: { elicitation: {} },
    read: async () => ({ uris: [] }),
    update: async () => ok({ uris: [] }),
    deliverResponse: async () => false,
    watch: async () => false,
    expectResponse: async (_request, onResponse, _onEnd, signal) => {
      Object.assign(expected, { respond: onResponse, signal });
      return true;
    },
  };
  const server = new McpServer({ name: "test", version: "1" }, { capabilities: { tools: {} } });
  server.server.setRequestHandler("tools/call", (_request, { mcpReq }) =>
    mcpReq.inputResponses
      ? { content: [{ type: "text", text: JSON.stringify(mcpReq.inputResponses) }] }
      : inputRequired({
          inputRequests: {
            color: inputRequired.elicit({
              message: "Which color?",
              requestedSchema: { type: "object", properties: { answer: { type: "string" } } },
            }),
          },
        }),
  );
  const transport = new RecordingTransport();
  enableClientRequests(server, session);
  await server.connect(transport);
  transport.onmessage?.({
    jsonrpc: "2.0",
    id: 7,
    method: "tools/call",
    params: { name: "any", arguments: {} },
  });
  await vi.advanceTimersByTimeAsync(10);
  return { transport, expected };
}

const findResult = (sent: readonly Message[]) => JSON.stringify(sent.find(({ id }) => id === 7));

describe("questions to a client of the 2025 revisions", () => {
  it("a form has an id that no other call uses, and its response ends the wait", async () => {
    const { transport, expected } = await callAskingTool();
    const { transport: second } = await callAskingTool();
    const [form] = transport.sent;

    const result = { action: "accept", content: { answer: "red" } };
    expected.respond(JSON.stringify({ jsonrpc: "2.0", id: form?.id, result }));
    await vi.advanceTimersByTimeAsync(10);

    expect(form?.method).toBe("elicitation/create");
    expect(form?.id).not.toBe(second.sent[0]?.id);
    expect(findResult(transport.sent)).toContain("red");
    expect(expected.signal?.aborted).toBe(true);
  });

  it("a form without an answer is cancelled before the client gives up its call", async () => {
    const { transport, expected } = await callAskingTool();
    const [form] = transport.sent;

    await vi.advanceTimersByTimeAsync(56_000);

    expect(transport.sent[1]).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: form?.id },
    });
    expect(findResult(transport.sent)).toContain("cancel");
    expect(expected.signal?.aborted).toBe(true);
  });

  it("a call that ends leaves no wait behind", async () => {
    const { transport, expected } = await callAskingTool();

    await transport.close();

    expect(expected.signal?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});
