/** Builds one MCP server per request, with only the caller's own data. */
import { McpServer, type McpRequestContext, preloadSchemas } from "@modelcontextprotocol/server";
import type { ExchangeBindings } from "../../exchange/with-thread.ts";
import type { McpCaller } from "./caller.ts";
import { INSTRUCTIONS } from "./text/instructions.ts";
import { servePrompts } from "./text/prompts.ts";
import { serveResources } from "./resources/resources.ts";
import type { ClientSession } from "./sessions/client-session.ts";
import { enableClientRequests } from "./sessions/client-requests.ts";
import { serveSessionMethods } from "./sessions/serve-session.ts";
import { serveTasks } from "./tasks/protocol.ts";
import { createThreadTasks } from "./tasks/thread-tasks.ts";
import type { LinkMaker } from "./tool.ts";
import { serveTools } from "./tool-calls.ts";
import { SOFTWARE_VERSION } from "../../version.ts";

// At the start of the isolate, so that no request has to build the protocol's schemas.
preloadSchemas();

const SERVER_INFO = {
  name: "mess-exchange",
  title: "MESS exchange",
  version: SOFTWARE_VERSION,
  description: "Gets things done in the physical world, through people, robots and services.",
};

/** Cache lifetime in milliseconds of lists that change only between releases. */
const LIST_TTL_MS = 300_000;
const LIST_CACHE = { ttlMs: LIST_TTL_MS, cacheScope: "private" } as const;

export function createServer(
  env: ExchangeBindings,
  caller: McpCaller,
  links: LinkMaker,
  { era, session }: Pick<McpRequestContext, "era"> & { session?: ClientSession },
): McpServer {
  const server = new McpServer(SERVER_INFO, {
    instructions: INSTRUCTIONS,
    capabilities: {
      tools: { listChanged: false },
      prompts: { listChanged: false },
      resources: { listChanged: false, subscribe: true },
      logging: {},
    },
    cacheHints: {
      "server/discover": LIST_CACHE,
      "tools/list": LIST_CACHE,
      "prompts/list": LIST_CACHE,
      "resources/list": LIST_CACHE,
      "resources/templates/list": LIST_CACHE,
    },
  });
  serveTools(server, env, caller, links, session);
  serveResources(server, env, caller, links);
  servePrompts(server);
  if (era === "modern") serveTasks(server, createThreadTasks(env, caller));
  else serveSessionMethods(server, env, caller, session);
  if (era === "legacy" && session) enableClientRequests(server, session);
  return server;
}
