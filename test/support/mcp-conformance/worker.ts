/** The Worker under test of the conformance suite: its fixtures, served by the exchange's transport and task code. */
import { McpServer } from "@modelcontextprotocol/server";
import { serveTasks } from "../../../src/ingress/mcp/tasks/protocol.ts";
import { createTransportHandler, serveMcp } from "../../../src/ingress/mcp/transport/transport.ts";
import { contentTools, serveContentFixtures } from "./content-fixtures.ts";
import { serveFixtureTools } from "./fixture-tools.ts";
import { inputTools, serveInputPrompt, verifyState } from "./input-fixtures.ts";
import { createFixtureTasks } from "./task-fixtures.ts";
import { buildJobTools, reportingTools } from "./tool-fixtures.ts";

function createServer({ era }: { era: "modern" | "legacy" }): McpServer {
  const tasks = createFixtureTasks();
  const server = new McpServer(
    { name: "mcp-conformance", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false, ...(era === "modern" ? { subscribe: true } : {}) },
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
  });
  return server;
}

export default {
  fetch: (request: Request): Promise<Response> =>
    serveMcp(createTransportHandler(request, createServer), request),
};
