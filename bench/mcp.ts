/**
 * The MCP server beside plain HTTP: the price of a tool call over the same append by `POST /mess`, how soon a
 * waiting agent hears of an answer, and what ten minutes of waiting bill.
 */
import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { compare, HEAD, load, median, quantile, row } from "./lib/measure.ts";
import { household, type Home, type Stack } from "./lib/bench-worker.ts";

const ROUNDS = 5;
const COUNT = 200;
const WAKES = 50;
/** Seconds of the wait that is counted, and of the one that is told. */
const COUNTED = 30;
const TOLD = 600;

async function connect(stack: Stack, home: Home): Promise<McpClient> {
  const client = new McpClient({ name: "bench", version: "1.0.0" });
  const requestInit = { headers: { Authorization: `Bearer ${home.agent.key}` } };
  const url = new URL(`${stack.origin}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}

export async function mcpBench(stack: Stack): Promise<string> {
  await stack.resetCounters();
  const home = await household(stack, "mcp");
  const client = await connect(stack, home);
  // First, while no other thread's alarm is under way.
  const billed = await waitCounted(stack, home, client);
  const { ref } = await home.agent.say({ request: { intent: "a thread for tools" } });
  const message = `MESS: [{ followup: { re: ${ref}, message: one more thing } }]`;
  const calls = await compare(
    ROUNDS,
    () =>
      load(1, COUNT, () => home.agent.say({ followup: { re: ref, message: "one more thing" } })),
    () => load(1, COUNT, () => client.callTool({ name: "mess", arguments: { message } })),
  );
  const wakes: number[] = [];
  for (let run = 0; run < WAKES; run++) wakes.push(await wake(home, client, run));
  wakes.sort((a, b) => a - b);
  await client.close();
  return `## MCP

Here the floor is the same append by HTTP.

${HEAD}
${row("tool call mess", calls)}

From the executor's post to the agent's result: p50 ${median(wakes).toFixed(1)} ms, p99 ${quantile(wakes, 0.99).toFixed(1)} ms.

Ten minutes of waiting take ${Math.ceil(TOLD / 45)} tool calls and ${billed.toFixed(0)} requests to objects.`;
}

/** Milliseconds from the post of an answer to the return of the `mess_wait` that waits for it. */
async function wake(home: Home, client: McpClient, run: number): Promise<number> {
  const { ref } = await home.agent.say({
    request: { intent: `look, ${run}`, requires: ["take-photo"] },
  });
  await home.ann.say({ status: { re: ref, code: "claimed" } });
  const waiting = client.callTool({ name: "mess_wait", arguments: { re: ref, wait_seconds: 30 } });
  // The wait is under way when the exchange has answered a later call.
  await home.agent.send("GET", `/mess/${ref}`);
  await home.agent.send("GET", `/mess/${ref}`);
  const posted = performance.now();
  await home.ann.say(
    { response: { re: ref, content: ["milk"] } },
    { status: { re: ref, code: "completed" } },
  );
  await waiting;
  return performance.now() - posted;
}

/** Requests to objects that ten minutes of `mess_wait` make, from a shorter wait in which nothing happens. */
async function waitCounted(stack: Stack, home: Home, client: McpClient): Promise<number> {
  const { ref } = await home.agent.say({ request: { intent: "nobody answers" } });
  await stack.resetCounters();
  await client.callTool({ name: "mess_wait", arguments: { re: ref, wait_seconds: COUNTED } });
  const { object_requests: counted } = await stack.counters();
  return (counted * TOLD) / COUNTED;
}
