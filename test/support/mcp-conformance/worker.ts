/** The Worker under test of the conformance suite: its fixtures, served by the exchange's transport and task code. */
import { McpServer } from "@modelcontextprotocol/server";
import { serveTasks } from "../../../src/ingress/mcp/tasks/protocol.ts";
import { createTransportHandler, serveMcp } from "../../../src/ingress/mcp/transport/transport.ts";
import type { ClientSession } from "../../../src/ingress/mcp/sessions/client-session.ts";
import { enableClientRequests } from "../../../src/ingress/mcp/sessions/client-requests.ts";
import { readSession } from "../../../src/ingress/mcp/sessions/session-id.ts";
import { createMemorySession } from "./memory-session.ts";
import { contentTools, serveContentFixtures } from "./content-fixtures.ts";
import { serveFixtureTools } from "./fixture-tools.ts";
import { inputTools, serveInputPrompt, verifyState } from "./input-fixtures.ts";
import { createFixtureTasks } from "./task-fixtures.ts";
import { sessionTools } from "./session-fixtures.ts";
import { buildJobTools, reportingTools } from "./tool-fixtures.ts";

function createServer(era: "modern" | "legacy", session?: ClientSession): McpServer {
  const tasks = createFixtureTasks();
  const server = new McpServer(
    { name: "mcp-conformance", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false, subscribe: true },
        ...(era === "legacy" ? { logging: {} } : {}),
      },
      requestState: { verify: verifyState },
    },
  );
  serveContentFixtures(server);
  serveInputPrompt(server);
  if (era === "modern") serveTasks(server, tasks.source);
  serveFixtureTools(server, {
    ...contentTools,
    ...inputTools,
    ...reportingTools,
    ...buildJobTools(tasks),
    ...(era === "legacy" ? sessionTools : {}),
  });
  if (era === "legacy" && session) enableClientRequests(server, session);
  if (era === "legacy")
    for (const method of ["resources/subscribe", "resources/unsubscribe"] as const)
      server.server.setRequestHandler(method, () => ({}));
  return server;
}

export default {
  fetch: (request: Request): Promise<Response> => {
    const facts = readSession(request.headers);
    const session = typeof facts === "object" ? createMemorySession(facts) : undefined;
    const handler = createTransportHandler(request, ({ era }) => createServer(era, session));
    return serveMcp(handler, request, session);
  },
};
