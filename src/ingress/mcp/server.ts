/** One MCP server for one request: everything on it is the caller's own. */
import { McpServer, type McpRequestContext } from "@modelcontextprotocol/server";
import type { Stores } from "../../exchange/with-thread.ts";
import type { Caller } from "./caller.ts";
import { INSTRUCTIONS } from "./text/instructions.ts";
import { servePrompts } from "./text/prompts.ts";
import { serveResources } from "./resources/resources.ts";
import { serveTasks } from "./tasks/protocol.ts";
import { threadTasks } from "./tasks/thread-tasks.ts";
import { serveTools } from "./tool-calls.ts";

const INFO = {
  name: "mess-exchange",
  title: "MESS exchange",
  version: "1.0.0",
  description: "Gets things done in the physical world, through people, robots and services.",
};

/** Milliseconds for which a client may keep what does not change between releases. */
const LISTS_KEPT = 300_000;
const KEPT = { ttlMs: LISTS_KEPT, cacheScope: "private" } as const;

/** @param origin address of the deployment, for links. */
export function createServer(
  env: Stores,
  caller: Caller,
  origin: string,
  { era }: Pick<McpRequestContext, "era">,
): McpServer {
  // Subscriptions need a stream, which the stateless 2025 transport has not.
  const subscribe = era === "modern" ? { subscribe: true } : {};
  const server = new McpServer(INFO, {
    instructions: INSTRUCTIONS,
    capabilities: {
      tools: { listChanged: false },
      prompts: { listChanged: false },
      resources: { listChanged: false, ...subscribe },
    },
    cacheHints: {
      "server/discover": KEPT,
      "tools/list": KEPT,
      "prompts/list": KEPT,
      "resources/list": KEPT,
      "resources/templates/list": KEPT,
    },
  });
  serveTools(server, env, caller, origin);
  serveResources(server, env, caller, origin);
  servePrompts(server);
  if (era === "modern") serveTasks(server, threadTasks(env, caller));
  return server;
}
