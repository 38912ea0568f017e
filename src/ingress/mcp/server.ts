/** Builds one MCP server per request, with the tools of one toolset and only the caller's own data. */
import { McpServer, type McpRequestContext, preloadSchemas } from "@modelcontextprotocol/server";
import type { ExchangeBindings } from "../../exchange/with-thread.ts";
import type { McpCaller } from "./caller.ts";
import { serveMessagePrompts, servePrompts } from "./text/prompts.ts";
import { serveMessageResources } from "./resources/message-resources.ts";
import { serveResources } from "./resources/resources.ts";
import type { ClientSession } from "./sessions/client-session.ts";
import { enableClientRequests } from "./sessions/client-requests.ts";
import { serveLogLevel, serveResourceSubscriptions } from "./sessions/serve-session.ts";
import { serveTasks } from "./tasks/protocol.ts";
import type { LinkMaker } from "./tool.ts";
import { serveTools } from "./tool-calls.ts";
import type { Toolset } from "./toolset.ts";
import { SOFTWARE_VERSION } from "../../version.ts";

// At the start of the isolate, so that no request has to build the protocol's schemas.
preloadSchemas();

/** Cache lifetime in milliseconds of lists that change only between releases. */
const LIST_TTL_MS = 300_000;
const LIST_CACHE = { ttlMs: LIST_TTL_MS, cacheScope: "private" } as const;

export function createServer(
  env: ExchangeBindings,
  caller: McpCaller,
  links: LinkMaker,
  toolset: Toolset,
  { era, session }: Pick<McpRequestContext, "era"> & { session?: ClientSession },
): McpServer {
  const { serverInfo, instructions, offersRequests, offersMessages } = toolset;
  const hasResources = offersRequests || offersMessages;
  const server = new McpServer(
    { ...serverInfo, version: SOFTWARE_VERSION },
    {
      instructions,
      capabilities: {
        tools: { listChanged: false },
        ...(hasResources
          ? {
              prompts: { listChanged: false },
              resources: { listChanged: false, subscribe: true },
            }
          : {}),
        logging: {},
      },
      cacheHints: {
        "server/discover": LIST_CACHE,
        "tools/list": LIST_CACHE,
        "prompts/list": LIST_CACHE,
        "resources/list": LIST_CACHE,
        "resources/templates/list": LIST_CACHE,
      },
    },
  );
  serveTools(server, env, caller, links, toolset, session);
  if (offersRequests) {
    serveResources(server, env, caller, links);
    servePrompts(server);
  }
  if (offersMessages) {
    serveMessageResources(server, env, caller);
    serveMessagePrompts(server);
  }
  if (era === "modern") serveTasks(server, toolset.createTasks(env, caller));
  else {
    serveLogLevel(server, session);
    if (hasResources) serveResourceSubscriptions(server, env, caller, session, toolset);
  }
  if (era === "legacy" && session) enableClientRequests(server, session);
  return server;
}
