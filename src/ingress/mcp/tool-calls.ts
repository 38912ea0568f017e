/** `tools/list` and `tools/call` over the table of tools. */
import {
  type CallToolResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type Tool as ListedTool,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Stores } from "../../exchange/with-thread.ts";
import { logDefect } from "../../log.ts";
import { type Caller, hasSeveral } from "./caller.ts";
import { argumentsError, errorResult, textResult } from "./tool-errors.ts";
import { takesTasks, type TaskHandle } from "./tasks/protocol.ts";
import type { Tool } from "./tool.ts";
import { TOOLS } from "./tools/index.ts";
import { inline } from "./text/untrusted-text.ts";

/** The tool's parameters for this caller: `exchange` exists only where there is a choice. */
function inputOf({ input, takesExchange }: Tool, caller: Caller | undefined): z.ZodObject {
  if (!caller || !takesExchange) return input;
  const households = caller.principals.map(({ household }) => household);
  return input.extend({ exchange: z.enum(households).optional() });
}

function listed(tool: Tool, caller: Caller | undefined): ListedTool {
  const { name, title, description, hints } = tool;
  // The dialect is MCP's default, and need not be paid for with tokens.
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(inputOf(tool, caller), {
    io: "output",
  });
  return {
    name,
    title,
    description,
    inputSchema: withoutNoise(inputSchema) as ListedTool["inputSchema"],
    annotations: {
      title,
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
  };
}

/** Bounds that no model heeds are enforced, but not told. */
const NOISE = ["maxLength", "minLength", "maxItems", "propertyNames"];

function withoutNoise(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNoise);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !NOISE.includes(key) && value !== Number.MAX_SAFE_INTEGER)
      .map(([key, value]) => [key, withoutNoise(value)]),
  );
}

/** The list that every caller with one household gets. */
const COMMON = TOOLS.map((tool) => listed(tool, undefined));

export const toolList = (caller: Caller): ListedTool[] =>
  hasSeveral(caller) ? TOOLS.map((tool) => listed(tool, caller)) : COMMON;

export function serveTools(
  { server }: McpServer,
  env: Stores,
  caller: Caller,
  origin: string,
): void {
  server.registerCapabilities({ tools: { listChanged: false } });
  server.setRequestHandler("tools/list", () => ({ tools: toolList(caller) }));
  server.setRequestHandler("tools/call", async ({ params }, mcp) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `No tool is called ${inline(params.name, 60)}. Use one of: ${TOOLS.map(({ name }) => name).join(", ")}.`,
      );
    const schema = inputOf(tool, hasSeveral(caller) ? caller : undefined);
    const input = schema.safeParse(params.arguments ?? {});
    if (!input.success) return argumentsError(tool.name, schema, input.error);
    const call = { env, caller, origin, mcp, takesTasks: takesTasks(mcp) };
    return (await run(tool, input.data, call)) as CallToolResult;
  });
}

async function run(
  tool: Tool,
  input: unknown,
  call: Parameters<Tool["run"]>[1],
): Promise<CallToolResult | TaskHandle> {
  try {
    const outcome = await tool.run(input as never, call);
    if (!outcome.ok) return errorResult(outcome.error, tool.name !== "mess");
    return typeof outcome.value === "string" ? textResult(outcome.value) : outcome.value;
  } catch (error) {
    logDefect(error, { tool: tool.name });
    return errorResult({
      code: "internal",
      message: "a fault of the exchange",
      hint: "Call again in a moment; with the same id a request is made once.",
    });
  }
}
