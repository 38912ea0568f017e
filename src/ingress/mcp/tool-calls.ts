/** Serves `tools/list` and `tools/call` from the table of tools. */
import {
  type CallToolResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type Tool as ListedTool,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { ExchangeBindings } from "../../exchange/with-thread.ts";
import { logDefect } from "../../log.ts";
import { type McpCaller, hasSeveral } from "./caller.ts";
import { buildArgumentsError, buildErrorResult, buildTextResult } from "./tool-errors.ts";
import { supportsTasks, type McpTaskHandle } from "./tasks/protocol.ts";
import type { Tool } from "./tool.ts";
import { TOOLS } from "./tools/index.ts";
import { inlineText } from "./text/untrusted-text.ts";

/** The tool's parameter schema for this caller: `exchange` is included only if the caller has several households. */
function getInputSchema(
  { input, takesExchange }: Tool,
  caller: McpCaller | undefined,
): z.ZodObject {
  if (!caller || !takesExchange) return input;
  const households = caller.principals.map(({ household }) => household);
  return input.extend({ exchange: z.enum(households).optional() });
}

function toListedTool(tool: Tool, caller: McpCaller | undefined): ListedTool {
  const { name, title, description, hints } = tool;
  // Omits `$schema`, since the dialect is MCP's default and costs tokens.
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(getInputSchema(tool, caller), {
    io: "output",
  });
  return {
    name,
    title,
    description,
    inputSchema: simplifySchema(inputSchema) as ListedTool["inputSchema"],
    annotations: {
      title,
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
  };
}

/** Removes bounds from the listed schema to save tokens, since models ignore them. They are still enforced. */
const OMITTED_SCHEMA_KEYS = ["maxLength", "minLength", "maxItems", "propertyNames"];

function simplifySchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplifySchema);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(
        ([key, value]) => !OMITTED_SCHEMA_KEYS.includes(key) && value !== Number.MAX_SAFE_INTEGER,
      )
      .map(([key, value]) => [key, simplifySchema(value)]),
  );
}

/** The tool list for every caller with one household. */
const SINGLE_HOUSEHOLD_TOOLS = TOOLS.map((tool) => toListedTool(tool, undefined));

export const listTools = (caller: McpCaller): ListedTool[] =>
  hasSeveral(caller) ? TOOLS.map((tool) => toListedTool(tool, caller)) : SINGLE_HOUSEHOLD_TOOLS;

export function serveTools(
  { server }: McpServer,
  env: ExchangeBindings,
  caller: McpCaller,
  origin: string,
): void {
  server.registerCapabilities({ tools: { listChanged: false } });
  server.setRequestHandler("tools/list", () => ({ tools: listTools(caller) }));
  server.setRequestHandler("tools/call", async ({ params }, mcp) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `No tool is called ${inlineText(params.name, 60)}. Use one of: ${TOOLS.map(({ name }) => name).join(", ")}.`,
      );
    const schema = getInputSchema(tool, hasSeveral(caller) ? caller : undefined);
    const input = schema.safeParse(params.arguments ?? {});
    if (!input.success) return buildArgumentsError(tool.name, schema, input.error);
    const call = { env, caller, origin, mcp, takesTasks: supportsTasks(mcp) };
    return (await runTool(tool, input.data, call)) as CallToolResult;
  });
}

async function runTool(
  tool: Tool,
  input: unknown,
  call: Parameters<Tool["run"]>[1],
): Promise<CallToolResult | McpTaskHandle> {
  try {
    const outcome = await tool.run(input as never, call);
    if (!outcome.ok) return buildErrorResult(outcome.error, tool.name !== "mess");
    return typeof outcome.value === "string" ? buildTextResult(outcome.value) : outcome.value;
  } catch (error) {
    logDefect(error, { tool: tool.name });
    return buildErrorResult({
      code: "internal",
      message: "internal error of the exchange",
      hint: "Call again in a moment; with the same id, the call creates only one request.",
    });
  }
}
