/** Tools that report, fail, need something of the client or run as tasks, as the suite drives them. */
import {
  type CallToolResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
} from "@modelcontextprotocol/server";
import {
  readCapabilities,
  toHandle,
  requireExtension,
  type McpTask,
  supportsTasks,
} from "../../../src/ingress/mcp/tasks/protocol.ts";
import { type FixtureTools, said } from "./fixture-tools.ts";
import { answerTo, form } from "./input-fixtures.ts";
import { ask, type FixtureTasks } from "./task-fixtures.ts";

const sleep = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** A task's handle in place of a result, which the SDK's types do not know. */
const handed = (task: McpTask): CallToolResult => toHandle(task) as unknown as CallToolResult;

const object = (properties: object) => ({ properties });

export const reportingTools: FixtureTools = {
  test_error_handling: {
    description: "Fails",
    run: () => ({
      ...said("This tool intentionally returns an error for testing"),
      isError: true,
    }),
  },
  test_tool_with_progress: {
    description: "Reports progress",
    async run({ mcpReq }) {
      const { _meta: { progressToken } = {} } = mcpReq;
      if (progressToken !== undefined)
        for (const progress of [0, 50, 100]) {
          await mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress, total: 100 },
          });
          await sleep(20);
        }
      return said(`Progress was reported to ${String(progressToken)}.`);
    },
  },
  test_missing_capability: {
    description: "Needs a client that samples",
    run(ctx) {
      if (Object.hasOwn(readCapabilities(ctx), "sampling")) return said("The client samples.");
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    },
  },
  test_streaming_elicitation: {
    description: "Asks in its stream",
    run: (ctx) =>
      answerTo(ctx, "user_name", "name") === undefined
        ? inputRequired({ inputRequests: { user_name: form("What is your name?", "name") } })
        : said("Thank you."),
  },
  json_schema_2020_12_tool: {
    description: "Has a schema that uses the whole dialect",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // oxlint-disable-next-line unicorn/no-thenable
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: (_ctx, args) => said(`Called with ${JSON.stringify(args)}.`),
  },
};
for (const name of ["test_tool_with_logging", "test_logging_tool"])
  reportingTools[name] = {
    description: "Logs",
    async run({ mcpReq }) {
      for (const step of ["started", "going on", "ended"]) {
        await mcpReq.log("info", `The tool has ${step}.`);
        await sleep(20);
      }
      return said("Logged.");
    },
  };

/** Jobs that may run as tasks, each started on this isolate's tasks. */
export const jobTools = (tasks: FixtureTasks): FixtureTools => ({
  greet: {
    description: "Greets at once",
    inputSchema: object({ name: { type: "string" } }),
    run: (_ctx, { name }) => said(`Hello, ${typeof name === "string" ? name : "you"}!`),
  },
  slow_compute: {
    description: "Takes its time",
    inputSchema: object({ seconds: { type: "number" }, label: { type: "string" } }),
    async run(ctx, args) {
      const seconds = typeof args["seconds"] === "number" ? args["seconds"] : 1;
      const result = { ...said(`Computed for ${seconds} seconds.`) };
      if (supportsTasks(ctx))
        return handed(tasks.start({ takes: seconds * 1_000, ending: () => ({ result }) }));
      await sleep(Math.min(seconds, 2) * 1_000);
      return result;
    },
  },
  failing_job: {
    description: "Fails as a tool",
    run(ctx) {
      requireExtension(ctx);
      const result = { ...said("The job failed."), isError: true };
      return handed(tasks.start({ takes: 1_000, ending: () => ({ result }) }));
    },
  },
  protocol_error_job: {
    description: "Fails as a protocol",
    run(ctx) {
      requireExtension(ctx);
      const error = { code: -32_603, message: "The job broke." };
      return handed(tasks.start({ takes: 200, ending: () => ({ error }) }));
    },
  },
  confirm_delete: {
    description: "Asks before it deletes",
    inputSchema: object({ filename: { type: "string" } }),
    run(ctx) {
      requireExtension(ctx);
      const inputs = { [crypto.randomUUID()]: ask("Delete it?") };
      const ending = () => ({ result: { ...said("Deleted.") } });
      return handed(tasks.start({ takes: 0, inputs, ending }));
    },
  },
  multi_input: {
    description: "Asks two things",
    run(ctx) {
      requireExtension(ctx);
      const keys = [crypto.randomUUID(), crypto.randomUUID()];
      const inputs = Object.fromEntries(keys.map((key, index) => [key, ask(`Question ${index}?`)]));
      const ending = () => ({ result: { ...said("Both came.") } });
      return handed(tasks.start({ takes: 0, inputs, ending }));
    },
  },
  test_tool_with_task: {
    description: "Asks, then runs",
    run(ctx) {
      requireExtension(ctx);
      const name = answerTo(ctx, "user_name", "name");
      if (typeof name !== "string")
        return inputRequired({ inputRequests: { user_name: form("What is your name?", "name") } });
      const result = { ...said(`Done for ${name}.`) };
      return handed(tasks.start({ takes: 300, ending: () => ({ result }) }));
    },
  },
});
