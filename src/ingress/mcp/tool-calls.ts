/** Serves `tools/list` and `tools/call` from the tools of an address. */
import {
  type CallToolResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import type { ExchangeBindings } from "../../exchange/with-thread.ts";
import { logDefect } from "../../log.ts";
import { type McpCaller, hasSeveral } from "./caller.ts";
import { buildArgumentsError, buildErrorResult } from "./tool-errors.ts";
import { hasForms } from "./requests/ask-user.ts";
import { supportsTasks } from "./tasks/protocol.ts";
import type { ClientSession } from "./sessions/client-session.ts";
import { createLog } from "./sessions/send-log.ts";
import type { LinkMaker, Tool, ToolOutput } from "./tool.ts";
import { getInputSchema, listTools } from "./tool-list.ts";
import type { Toolset } from "./toolset.ts";
import { inlineText } from "./text/untrusted-text.ts";

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
