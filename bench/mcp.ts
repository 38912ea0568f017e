/**
 * The MCP server compared with plain HTTP: a tool call and the same append by `POST /mess`, the time until a waiting
 * agent gets an answer, and the billed requests of a wait of ten minutes.
 */
import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  compare,
  TABLE_HEAD,
  runLoad,
  measureMedian,
  getQuantile,
  formatRow,
} from "./lib/measure.ts";
import { createHousehold, type BenchHousehold, type Stack } from "./lib/bench-worker.ts";

const ROUNDS = 5;
const COUNT = 200;
const MEASURED_WAITS = 50;
/** Seconds of the measured wait, and of the longer wait that is reported. */
const MEASURED_SECONDS = 30;
const REPORTED_SECONDS = 600;

async function connect(stack: Stack, household: BenchHousehold): Promise<McpClient> {
  const client = new McpClient({ name: "bench", version: "1.0.0" });
  const requestInit = { headers: { Authorization: `Bearer ${household.agent.key}` } };
  const url = new URL(`${stack.origin}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}

export async function runMcpBench(stack: Stack): Promise<string> {
  await stack.resetCounters();
  const household = await createHousehold(stack, "mcp");
  const client = await connect(stack, household);
  // Measured first, before the alarms of other threads add requests.
  const billed = await countWaitRequests(stack, household, client);
  const { ref } = await household.agent.postBlocks({ request: { intent: "a thread for tools" } });
  const message = `MESS: [{ followup: { re: ${ref}, message: one more thing } }]`;
  const calls = await compare(
    ROUNDS,
    () =>
      runLoad(1, COUNT, () =>
        household.agent.postBlocks({ followup: { re: ref, message: "one more thing" } }),
      ),
    () => runLoad(1, COUNT, () => client.callTool({ name: "mess", arguments: { message } })),
  );
  const delays: number[] = [];
  for (let run = 0; run < MEASURED_WAITS; run++)
    delays.push(await measureWake(household, client, run));
  delays.sort((a, b) => a - b);
  await client.close();
  return `## MCP

The baseline is the same append by HTTP.

${TABLE_HEAD}
${formatRow("tool call mess", calls)}

From the executor's message to the agent's result: p50 ${measureMedian(delays).toFixed(1)} ms, p99 ${getQuantile(delays, 0.99).toFixed(1)} ms.

A wait of ten minutes takes ${Math.ceil(REPORTED_SECONDS / 45)} tool calls and ${billed.toFixed(0)} requests to Durable Objects.`;
}

/** Measures the milliseconds from the POST of an answer to the return of the `mess_wait` that waits for it. */
async function measureWake(
  household: BenchHousehold,
  client: McpClient,
  run: number,
): Promise<number> {
  const { ref } = await household.agent.postBlocks({
    request: { intent: `look, ${run}`, requires: ["take-photo"] },
  });
  await household.ann.postBlocks({ status: { re: ref, code: "claimed" } });
  const waiting = client.callTool({ name: "mess_wait", arguments: { re: ref, wait_seconds: 30 } });
  // The exchange has started the wait once it has answered a later call.
  await household.agent.send("GET", `/mess/${ref}`);
  await household.agent.send("GET", `/mess/${ref}`);
  const posted = performance.now();
  await household.ann.postBlocks(
    { response: { re: ref, content: ["milk"] } },
    { status: { re: ref, code: "completed" } },
  );
  await waiting;
  return performance.now() - posted;
}

/** Requests to Durable Objects during ten minutes of `mess_wait`, extrapolated from a shorter wait without changes. */
async function countWaitRequests(
  stack: Stack,
  household: BenchHousehold,
  client: McpClient,
): Promise<number> {
  const { ref } = await household.agent.postBlocks({ request: { intent: "nobody answers" } });
  await stack.resetCounters();
  await client.callTool({
    name: "mess_wait",
    arguments: { re: ref, wait_seconds: MEASURED_SECONDS },
  });
  const { object_requests: counted } = await stack.counters();
  return (counted * REPORTED_SECONDS) / MEASURED_SECONDS;
}
