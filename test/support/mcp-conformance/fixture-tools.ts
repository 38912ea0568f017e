/** Tools called without the SDK's error handling: an exception becomes a protocol error, as the suite expects. */
import {
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";

export type Answer = CallToolResult | InputRequiredResult;

interface FixtureTool {
  description: string;
  /** JSON Schema; absent if the tool has no arguments. */
  inputSchema?: Record<string, unknown>;
  run(ctx: ServerContext, args: Record<string, unknown>): Answer | Promise<Answer>;
}

export type FixtureTools = Record<string, FixtureTool>;

export const buildTextResult = (text: string): CallToolResult => ({
  content: [{ type: "text", text }],
});

export function serveFixtureTools({ server }: McpServer, tools: FixtureTools): void {
  server.setRequestHandler("tools/list", () => ({
    tools: Object.entries(tools).map(([name, { description, inputSchema }]) => ({
      name,
      description,
      inputSchema: { type: "object" as const, ...inputSchema },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const tool = Object.hasOwn(tools, params.name) ? tools[params.name] : undefined;
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "No such tool");
    return await tool.run(ctx, params.arguments ?? {});
  });
}
