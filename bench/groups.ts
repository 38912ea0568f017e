/**
 * AI groups, compared with a plain Node server that offers the same calls by MCP and keeps messages in Redis: the time
 * from a message to the return of the wait for it, five hundred waits at once, the billed requests of a long wait, and
 * the summary of unread messages.
 */
import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createHousehold, type BenchClient, type Stack } from "./lib/bench-worker.ts";
import { getQuantile, measureMedian } from "./lib/measure.ts";
import { startRedisStack } from "./lib/redis-stack.ts";

const WAKE_UPS = 200;
const WAITERS = 500;
/** A group has at most 200 members. */
const WAITERS_PER_GROUP = 125;
const PENDING_COUNTS = [100, 10_000];
const PENDING_CALLS = 30;
const PARALLEL_SENDS = 16;
/** Seconds of the measured wait, and of the longer wait that is reported. */
const MEASURED_SECONDS = 30;
const REPORTED_SECONDS = 600;
const CONTENT = "The parser is done; the tests of the reader are next. See src/reader.ts.";

type Arguments = Record<string, string | number | boolean>;

/** A member of a group: the same calls on both sides. */
interface Member {
  id: string;
  call(tool: string, input: Arguments): Promise<{ text: string; data: Record<string, unknown> }>;
}

/** A system under test: makes ops and their agents. */
type MakeGroup = (agents: number) => Promise<{ ops: Member; agents: Member[] }>;

async function connect(url: string, key: string): Promise<McpClient> {
  const client = new McpClient({ name: "bench", version: "1.0.0" });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

const createMember = (client: McpClient, id: string, group?: string): Member => ({
  id,
  call: async (name, input) => {
    const ids = { my_id: id, ...(group === undefined ? {} : { group_id: group }) };
    const result = await client.callTool({ name, arguments: { ...ids, ...input } });
    const [{ text = "" } = {}] = result.content as { text?: string }[];
    if (result.isError) throw new Error(`${name}: ${text}`);
    return { text, data: (result.structuredContent ?? {}) as Record<string, unknown> };
  },
});

const makeExchangeGroup =
  (stack: Stack, agent: BenchClient): MakeGroup =>
  async (count) => {
    const client = await connect(`${stack.origin}/mcp/groups`, agent.key);
    const start = async (name: string, input: Arguments) =>
      (await client.callTool({ name, arguments: input })).structuredContent as {
        group_id: string;
        my_id: string;
      };
    const { group_id, my_id } = await start("initiate", { topic: `${count} agents` });
    const agents: Member[] = [];
    for (let n = 0; n < count; n++) {
      const joined = await start("join", { group_id, my_name: `agent ${n}` });
      agents.push(createMember(client, joined.my_id, group_id));
    }
    return { ops: createMember(client, my_id, group_id), agents };
  };

const makeRedisGroup =
  (url: string): MakeGroup =>
  async (count) => {
    const client = await connect(url, "none");
    const tag = crypto.randomUUID().slice(0, 8);
    return {
      ops: createMember(client, `o_${tag}`),
      agents: Array.from({ length: count }, (_, n) => createMember(client, `a_${tag}_${n}`)),
    };
  };

let sentCount = 0;

/** Each message has a text of its own, since the exchange stores a repeated one once. */
const send = (from: Member, to: Member) =>
  from.call("send", {
    to_id: to.id,
    content: `${CONTENT} (${++sentCount})`,
    message_type: "message",
  });

/** Milliseconds from each send to the return of the wait. */
async function measureWakeUps(makeGroup: MakeGroup): Promise<number[]> {
  const { ops, agents } = await makeGroup(1);
  const [agent] = agents as [Member];
  const delays: number[] = [];
  for (let n = 0; n < WAKE_UPS; n++) {
    const waiting = agent.call("wait", { timeout: 30 });
    // The wait has begun once later calls have been answered.
    await agent.call("pending", {});
    await agent.call("pending", {});
    const sent = performance.now();
    await Promise.all([send(ops, agent), waiting]);
    delays.push(performance.now() - sent);
  }
  return delays.toSorted((a, b) => a - b);
}

/** All agents wait; each gets one message. Milliseconds from the first send to the return of each wait. */
async function measureManyWaits(makeGroup: MakeGroup): Promise<number[]> {
  const groups = [];
  for (let n = 0; n < WAITERS; n += WAITERS_PER_GROUP)
    groups.push(await makeGroup(WAITERS_PER_GROUP));
  let sent = 0;
  const waits = groups.flatMap(({ agents }) =>
    agents.map(async (agent) => {
      await agent.call("wait", { timeout: 45 });
      return performance.now() - sent;
    }),
  );
  for (const { agents } of groups) for (const agent of agents) await agent.call("pending", {});
  sent = performance.now();
  for (const { ops, agents } of groups) await Promise.all(agents.map((agent) => send(ops, agent)));
  return (await Promise.all(waits)).toSorted((a, b) => a - b);
}

/** Size and time of `pending` with this number of unread messages. */
async function measurePending(makeGroup: MakeGroup, unread: number) {
  const { ops, agents } = await makeGroup(1);
  const [agent] = agents as [Member];
  for (let n = 0; n < unread; n += PARALLEL_SENDS)
    await Promise.all(
      Array.from({ length: Math.min(PARALLEL_SENDS, unread - n) }, () => send(ops, agent)),
    );
  const times: number[] = [];
  let size = 0;
  for (let n = 0; n < PENDING_CALLS; n++) {
    const begun = performance.now();
    size = (await agent.call("pending", {})).text.length;
    times.push(performance.now() - begun);
  }
  return { size, time: measureMedian(times) };
}

async function countWaitRequests(stack: Stack, makeGroup: MakeGroup): Promise<number> {
  const { agents } = await makeGroup(1);
  await stack.resetCounters();
  await agents[0]!.call("wait", { timeout: MEASURED_SECONDS });
  const { object_requests: counted } = await stack.counters();
  return (counted * REPORTED_SECONDS) / MEASURED_SECONDS;
}

const formatTimes = (times: readonly number[]): string =>
  `p50 ${getQuantile(times, 0.5).toFixed(1)} ms, p99 ${getQuantile(times, 0.99).toFixed(1)} ms`;

async function describe(makeGroup: MakeGroup): Promise<string[]> {
  const wakeUps = await measureWakeUps(makeGroup);
  const many = await measureManyWaits(makeGroup);
  const pending = [];
  for (const count of PENDING_COUNTS) pending.push(await measurePending(makeGroup, count));
  return [
    formatTimes(wakeUps),
    `${formatTimes(many)}, last ${many.at(-1)!.toFixed(0)} ms`,
    ...pending.map(({ size, time }) => `${size} characters in ${time.toFixed(1)} ms`),
  ];
}

export async function runGroupsBench(stack: Stack): Promise<string> {
  const { agent } = await createHousehold(stack, "groups");
  const makeGroup = makeExchangeGroup(stack, agent);
  const billed = await countWaitRequests(stack, makeGroup);
  const ours = await describe(makeGroup);
  const redis = await startRedisStack();
  let theirs: string[] | undefined;
  try {
    theirs = redis && (await describe(makeRedisGroup(redis.url)));
  } finally {
    await redis?.stop();
  }
  const rows = [
    "send to the return of the wait",
    `${WAITERS} waits at once, one message each`,
    ...PENDING_COUNTS.map((count) => `pending with ${count} unread`),
  ];
  return `## AI groups

| | exchange | Redis and a plain MCP server |
| --- | --- | --- |
${rows.map((row, n) => `| ${row} | ${ours[n]} | ${theirs?.[n] ?? "not measured"} |`).join("\n")}

${theirs ? "" : "Redis is not installed (Debian package redis-server), so there is nothing to compare with.\n\n"}A wait of ten minutes takes ${billed.toFixed(0)} requests to Durable Objects.`;
}
