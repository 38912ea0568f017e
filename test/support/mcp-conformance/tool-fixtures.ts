/** Tools that report progress, fail, need something from the client or run as tasks, for the suite. */
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
import { type FixtureTools, buildTextResult } from "./fixture-tools.ts";
import { answerTo, buildForm } from "./input-fixtures.ts";
import { buildElicitation, type FixtureTasks } from "./task-fixtures.ts";

const sleep = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** A task's handle instead of a result; the SDK's types do not include it. */
const buildTaskResult = (task: McpTask): CallToolResult =>
  toHandle(task) as unknown as CallToolResult;

const getObject = (properties: object) => ({ properties });

export const reportingTools: FixtureTools = {
  test_error_handling: {
    description: "Fails",
    run: () => ({
      ...buildTextResult("This tool intentionally returns an error for testing"),
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
      return buildTextResult(`Progress was reported to ${String(progressToken)}.`);
    },
  },
  test_missing_capability: {
    description: "Needs a client that samples",
    run(ctx) {
      if (Object.hasOwn(readCapabilities(ctx), "sampling"))
        return buildTextResult("The client samples.");
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    },
  },
  test_streaming_elicitation: {
    description: "Asks in its stream",
    run: (ctx) =>
      answerTo(ctx, "user_name", "name") === undefined
        ? inputRequired({ inputRequests: { user_name: buildForm("What is your name?", "name") } })
        : buildTextResult("Thank you."),
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
    run: (_ctx, args) => buildTextResult(`Called with ${JSON.stringify(args)}.`),
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
      return buildTextResult("Logged.");
    },
  };

/** Work that may run as tasks of this isolate. */
export const buildJobTools = (tasks: FixtureTasks): FixtureTools => ({
  greet: {
    description: "Greets at once",
    inputSchema: getObject({ name: { type: "string" } }),
    run: (_ctx, { name }) => buildTextResult(`Hello, ${typeof name === "string" ? name : "you"}!`),
  },
  slow_compute: {
    description: "Takes its time",
    inputSchema: getObject({ seconds: { type: "number" }, label: { type: "string" } }),
    async run(ctx, args) {
      const seconds = typeof args["seconds"] === "number" ? args["seconds"] : 1;
      const result = { ...buildTextResult(`Computed for ${seconds} seconds.`) };
      if (supportsTasks(ctx))
        return buildTaskResult(tasks.start({ takes: seconds * 1_000, ending: () => ({ result }) }));
      await sleep(Math.min(seconds, 2) * 1_000);
      return result;
    },
  },
  failing_job: {
    description: "Fails as a tool",
    run(ctx) {
      requireExtension(ctx);
      const result = { ...buildTextResult("The job failed."), isError: true };
      return buildTaskResult(tasks.start({ takes: 1_000, ending: () => ({ result }) }));
    },
  },
  protocol_error_job: {
    description: "Fails as a protocol",
    run(ctx) {
      requireExtension(ctx);
      const error = { code: -32_603, message: "The job broke." };
      return buildTaskResult(tasks.start({ takes: 200, ending: () => ({ error }) }));
    },
  },
  confirm_delete: {
    description: "Asks before it deletes",
    inputSchema: getObject({ filename: { type: "string" } }),
    run(ctx) {
      requireExtension(ctx);
      const inputs = { [crypto.randomUUID()]: buildElicitation("Delete it?") };
      const buildEnding = () => ({ result: { ...buildTextResult("Deleted.") } });
      return buildTaskResult(tasks.start({ takes: 0, inputs, ending: buildEnding }));
    },
  },
  multi_input: {
    description: "Asks two things",
    run(ctx) {
      requireExtension(ctx);
      const keys = [crypto.randomUUID(), crypto.randomUUID()];
      const inputs = Object.fromEntries(
        keys.map((key, index) => [key, buildElicitation(`Question ${index}?`)]),
      );
      const buildEnding = () => ({ result: { ...buildTextResult("Both came.") } });
      return buildTaskResult(tasks.start({ takes: 0, inputs, ending: buildEnding }));
    },
  },
  test_tool_with_task: {
    description: "Asks, then runs",
    run(ctx) {
      requireExtension(ctx);
      const name = answerTo(ctx, "user_name", "name");
      if (typeof name !== "string")
        return inputRequired({
          inputRequests: { user_name: buildForm("What is your name?", "name") },
        });
      const result = { ...buildTextResult(`Done for ${name}.`) };
      return buildTaskResult(tasks.start({ takes: 300, ending: () => ({ result }) }));
    },
  },
});
