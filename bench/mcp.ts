/**
 * The MCP server beside plain HTTP: the price of a tool call over the same append by `POST /mess`, how soon a
 * waiting agent hears of an answer, and what ten minutes of waiting bill.
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
const WAKES = 50;
/** Seconds of the wait that is counted, and of the one that is told. */
const COUNTED = 30;
const TOLD = 600;

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
  // First, while no other thread's alarm is under way.
  const billed = await waitCounted(stack, household, client);
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
  const wakes: number[] = [];
  for (let run = 0; run < WAKES; run++) wakes.push(await measureWake(household, client, run));
  wakes.sort((a, b) => a - b);
  await client.close();
  return `## MCP

Here the floor is the same append by HTTP.

${TABLE_HEAD}
${formatRow("tool call mess", calls)}

From the executor's post to the agent's result: p50 ${measureMedian(wakes).toFixed(1)} ms, p99 ${getQuantile(wakes, 0.99).toFixed(1)} ms.

Ten minutes of waiting take ${Math.ceil(TOLD / 45)} tool calls and ${billed.toFixed(0)} requests to objects.`;
}

/** Milliseconds from the post of an answer to the return of the `mess_wait` that waits for it. */
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
  // The wait is under way when the exchange has answered a later call.
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

/** Requests to objects that ten minutes of `mess_wait` make, from a shorter wait in which nothing happens. */
async function waitCounted(
  stack: Stack,
  household: BenchHousehold,
  client: McpClient,
): Promise<number> {
  const { ref } = await household.agent.postBlocks({ request: { intent: "nobody answers" } });
  await stack.resetCounters();
  await client.callTool({ name: "mess_wait", arguments: { re: ref, wait_seconds: COUNTED } });
  const { object_requests: counted } = await stack.counters();
  return (counted * TOLD) / COUNTED;
}
