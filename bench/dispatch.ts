/**
 * From a request to the first notification on the wire, alone, in a crowd, beside a dead endpoint, and by alarm; then a
 * simulated household at work.
 */
import { simulate } from "../scripts/lib/simulation/simulate.ts";
import { buildCallKey, type Endpoint, startEndpoint } from "./lib/endpoint.ts";
import { runLoad, measureMedian, getQuantile } from "./lib/measure.ts";
import { type BenchHousehold, createHousehold, type Stack } from "./lib/bench-worker.ts";

const SINGLE = 200;
const CROWD = 1_000;
const CLIENTS = 32;
const ENDPOINTS = 100;
const ROUNDS = 5;
const ALARMS = 200;

export async function runDispatchBench(stack: Stack): Promise<string> {
  const endpoint = await startEndpoint(["/dead"]);
  try {
    const household = await createHousehold(stack, "dispatch");
    return [
      "## Dispatch",
      "",
      await measureSingle(stack, household, endpoint),
      await measureCrowd(stack, household, endpoint),
      await measureDeadEndpoint(household, endpoint),
      await measureAlarms(household, endpoint),
      await measureSimulated(stack),
    ].join("\n");
  } finally {
    await endpoint.stop();
  }
}

/** Executors behind paths of the endpoint, all with the one capability. */
const addExecutor = (
  household: BenchHousehold,
  url: string,
  capability: string,
  paths: readonly string[],
) =>
  household.owner.send("POST", "/mess", {
    MESS: [
      {
        config: {
          executors: Object.fromEntries(
            paths.map((path) => [
              `${capability}-${path.slice(1)}`,
              { kind: "machine", capabilities: [capability], notify: { webhook: `${url}${path}` } },
            ]),
          ),
        },
      },
    ],
  });

const createThread = (household: BenchHousehold, capability: string, more: object = {}) =>
  household.agent.postBlocks({
    request: { intent: `do ${capability}`, requires: [capability], ...more },
  });

const fetchBare = (stack: Stack, url: string) =>
  fetch(`${stack.origin}/bench/fetch`, { method: "POST", body: url }).then((answer) =>
    answer.text(),
  );

const summarize = (times: readonly number[]): { p50: number; p99: number } => {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: getQuantile(sorted, 0.5), p99: getQuantile(sorted, 0.99) };
};

async function measureSingle(
  stack: Stack,
  household: BenchHousehold,
  { url, calls, until }: Endpoint,
): Promise<string> {
  await addExecutor(household, url, "single", ["/single"]);
  const ours: number[] = [];
  const floors: number[] = [];
  for (let run = 0; run < SINGLE; run++) {
    const asked = performance.now();
    const before = calls.size;
    const { ref } = await createThread(household, "single");
    await until(before + 1);
    ours.push(calls.get(buildCallKey("/single", ref))! - asked);
    const path = `/floor-${run}`;
    const begun = performance.now();
    await fetchBare(stack, url + path);
    floors.push(calls.get(buildCallKey(path))! - begun);
  }
  const [mine, floor] = [summarize(ours.slice(10)), summarize(floors.slice(10))];
  return `Posted to first notification on the wire: p50 ${mine.p50.toFixed(1)} ms, p99 ${mine.p99.toFixed(1)} ms, where a bare fetch of the Worker takes ${floor.p50.toFixed(1)} and ${floor.p99.toFixed(1)} ms: ${(mine.p50 / floor.p50).toFixed(1)} floors.`;
}

async function measureCrowd(
  stack: Stack,
  household: BenchHousehold,
  { url, calls, until }: Endpoint,
): Promise<string> {
  await addExecutor(household, url, "crowd", ["/crowd"]);
  const before = calls.size;
  const begun = performance.now();
  await runLoad(CLIENTS, CROWD, () => createThread(household, "crowd"));
  const acked = performance.now() - begun;
  await until(before + CROWD);
  const all = performance.now() - begun;
  let n = 0;
  const floor = await runLoad(CLIENTS, CROWD, () => fetchBare(stack, `${url}/crowd-floor-${n++}`));
  return `${CROWD} threads at once: all acked after ${(acked / 1_000).toFixed(1)} s, all notified after ${(all / 1_000).toFixed(1)} s, ${((1_000 * CROWD) / all).toFixed(0)} a second; bare fetches go at ${floor.throughput.toFixed(0)} a second.`;
}

/** The others' last notification of one broadcast, with and without a member that never answers. */
async function measureDeadEndpoint(
  household: BenchHousehold,
  { url, calls, until }: Endpoint,
): Promise<string> {
  const paths = Array.from({ length: ENDPOINTS - 1 }, (_, n) => `/member-${n}`);
  await addExecutor(household, url, "alive", [...paths, "/last"]);
  await addExecutor(household, url, "mixed", [...paths, "/dead"]);
  const broadcast = async (capability: string, members: number): Promise<number> => {
    const before = calls.size;
    const begun = performance.now();
    await createThread(household, capability);
    await until(before + members);
    return performance.now() - begun;
  };
  const alive: number[] = [];
  const mixed: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    alive.push(await broadcast("alive", ENDPOINTS));
    mixed.push(await broadcast("mixed", ENDPOINTS - 1));
  }
  const [without, with1] = [measureMedian(alive.slice(1)), measureMedian(mixed.slice(1))];
  return `${ENDPOINTS} members asked at once, all of them up: the last is notified after ${without.toFixed(0)} ms. With one that never answers: the last of the others after ${with1.toFixed(0)} ms, ${(with1 / without).toFixed(2)} of it.`;
}

/** Threads whose time comes by alarm, with and without appends beside them. */
async function measureAlarms(
  household: BenchHousehold,
  { url, calls, until }: Endpoint,
): Promise<string> {
  await addExecutor(household, url, "alarm", ["/alarm"]);
  const measureLateness = async (beside: boolean): Promise<{ p50: number; p99: number }> => {
    const due = Date.now() + 8_000;
    const not_before = new Date(due).toISOString();
    const refs: string[] = [];
    const before = calls.size;
    await runLoad(8, ALARMS, async () => {
      const more = { constraints: { timing: { not_before } }, coalesce: false };
      refs.push((await createThread(household, "alarm", more)).ref);
    });
    const { ref } = await createThread(household, "nothing-that-anybody-does");
    const noisy = { on: beside };
    const noise = Array.from({ length: 4 }, async () => {
      while (noisy.on)
        await household.agent.postBlocks({ followup: { re: ref, message: "and this" } });
    });
    await until(before + ALARMS);
    noisy.on = false;
    await Promise.all(noise);
    const origin = performance.timeOrigin;
    return summarize(refs.map((one) => origin + calls.get(buildCallKey("/alarm", one))! - due));
  };
  const quiet = await measureLateness(false);
  const busy = await measureLateness(true);
  return `${ALARMS} threads due at one instant are notified by their alarms ${quiet.p50.toFixed(0)} ms after it (p99 ${quiet.p99.toFixed(0)} ms); beside appends by four clients ${busy.p50.toFixed(0)} ms (p99 ${busy.p99.toFixed(0)} ms).`;
}

/** People and robots in their channels: how long it takes until somebody has been reached, and until it is done. */
async function measureSimulated(stack: Stack): Promise<string> {
  const { id, owner, agent } = await createHousehold(stack, "simulated");
  const keys = { owner: owner.key, agent: agent.key, executors: {} };
  const ready = { origin: stack.origin, mcp: `${stack.origin}/mcp`, household: id, keys };
  const options = { seed: 1, people: 20, robots: 9, requests: 60, outages: 3 };
  const { results, notified } = await simulate(
    ready,
    options,
    () => undefined,
    new AbortController().signal,
  );
  const done = results.filter(({ status }) => status === "completed");
  return `A simulated household of ${options.people} people and ${options.robots} robots with ${options.requests} errands and ${options.outages} outages: ${done.length} completed, in ${(measureMedian(done.map(({ took }) => took)) / 1_000).toFixed(1)} s in the median, people's own time included; ${notified} messages and calls.`;
}
