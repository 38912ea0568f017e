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
import { buildArgumentsError, buildErrorResult } from "./tool-errors.ts";
import { hasForms } from "./requests/ask-user.ts";
import { supportsTasks } from "./tasks/protocol.ts";
import type { ClientSession } from "./sessions/client-session.ts";
import { createLog } from "./sessions/send-log.ts";
import type { LinkMaker, Tool, ToolOutput } from "./tool.ts";
import type { Toolset } from "./toolset.ts";
import { inlineText } from "./text/untrusted-text.ts";

/** The tool's parameter schema for this caller: `exchange` is included only if the caller has several households. */
function getInputSchema(
  { input, takesExchange }: Tool,
  caller: McpCaller | undefined,
): z.ZodObject {
  if (!caller || !takesExchange) return input;
  const households = caller.principals.map(({ household }) => household);
  const exchange = z.enum(households).optional();
  return input.extend({ exchange: exchange.describe("Household; default: the first") });
}

function toListedTool(tool: Tool, caller: McpCaller | undefined): ListedTool {
  const { name, title, description, hints, output, isBrief } = tool;
  const inputSchema = toListedSchema(getInputSchema(tool, caller));
  const outputSchema = toListedSchema(output);
  return {
    name,
    title,
    description,
    inputSchema: isBrief ? omitClosing(inputSchema) : inputSchema,
    outputSchema: isBrief ? omitRequired(outputSchema) : outputSchema,
    annotations: {
      ...(isBrief ? {} : { title }),
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
  };
}

/** Omits `$schema`, since the dialect is MCP's default and costs tokens. */
function toListedSchema(schema: z.ZodObject): ListedSchema {
  const { $schema: _dialect, ...listed } = z.toJSONSchema(schema, { io: "output" });
  return simplifySchema(listed) as ListedSchema;
}

type ListedSchema = ListedTool["inputSchema"];

const omitClosing = ({ additionalProperties: _closed, ...schema }: ListedSchema): ListedSchema =>
  schema;

const omitRequired = ({ required: _required, ...schema }: ListedSchema): ListedSchema => schema;

/** Keywords that the listed schemas omit to save tokens, since models ignore them. They are still enforced. */
const OMITTED_SCHEMA_KEYS = ["maxLength", "minLength", "maxItems", "propertyNames"];

function simplifySchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplifySchema);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(
        ([key, value]) =>
          !OMITTED_SCHEMA_KEYS.includes(key) &&
          Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER &&
          !isEmptySchema(value),
      )
      .map(([key, value]) => [key, simplifySchema(value)]),
  );
}

/** A schema or a set of properties that allows anything. */
const isEmptySchema = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** The tool lists for every caller with one household. */
const singleHouseholdTools = new Map<Toolset, ListedTool[]>();

export function listTools(toolset: Toolset, caller: McpCaller): ListedTool[] {
  const { tools } = toolset;
  if (hasSeveral(caller)) return tools.map((tool) => toListedTool(tool, caller));
  const known = singleHouseholdTools.get(toolset);
  if (known) return known;
  const listed = tools.map((tool) => toListedTool(tool, undefined));
  singleHouseholdTools.set(toolset, listed);
  return listed;
}

export function serveTools(
  { server }: McpServer,
  env: ExchangeBindings,
  caller: McpCaller,
  links: LinkMaker,
  toolset: Toolset,
  session: ClientSession | undefined,
): void {
  const { tools } = toolset;
  server.registerCapabilities({ tools: { listChanged: false } });
  server.setRequestHandler("tools/list", () => ({ tools: listTools(toolset, caller) }));
  server.setRequestHandler("tools/call", async ({ params }, mcp) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `No tool is called ${inlineText(params.name, 60)}. Use one of: ${tools.map(({ name }) => name).join(", ")}.`,
      );
    const schema = getInputSchema(tool, hasSeveral(caller) ? caller : undefined);
    const given = renameRef(tool, params.arguments ?? {});
    const input = schema.safeParse(omitDefaultExchange(given, caller));
    if (!input.success) return buildArgumentsError(tool.name, schema, input.error);
    const call = {
      env,
      caller,
      links,
      mcp,
      takesTasks: supportsTasks(mcp),
      showsForms: hasForms(mcp, session),
      log: createLog(mcp, session),
    };
    return (await runTool(tool, input.data, call)) as CallToolResult;
  });
}

/** Accepts `ref` for `re`, since results name requests by `ref`. */
function renameRef(tool: Tool, given: Record<string, unknown>): Record<string, unknown> {
  const { ref, ...others } = given;
  const isAlias = ref !== undefined && given["re"] === undefined && "re" in tool.input.shape;
  return isAlias ? { re: ref, ...others } : given;
}

/** The value of `exchange` that the tools' specification uses for the default household. */
const DEFAULT_EXCHANGE = "primary";

/** Removes `exchange` if it names the default household. */
function omitDefaultExchange(
  { exchange, ...input }: Record<string, unknown>,
  caller: McpCaller,
): Record<string, unknown> {
  const isOnly = !hasSeveral(caller) && exchange === caller.principals[0].household;
  return exchange === undefined || exchange === DEFAULT_EXCHANGE || isOnly
    ? input
    : { ...input, exchange };
}

async function runTool(
  tool: Tool,
  input: unknown,
  call: Parameters<Tool["run"]>[1],
): Promise<ToolOutput> {
  try {
    const outcome = await tool.run(input as never, call);
    if (!outcome.ok) return buildErrorResult(outcome.error, tool.name !== "mess", tool.errorHints);
    return outcome.value;
  } catch (error) {
    logDefect(error, { tool: tool.name });
    return buildErrorResult({
      code: "internal",
      message: "internal error of the exchange",
      hint: "Call again in a moment; with the same id, the call creates only one request.",
    });
  }
}
