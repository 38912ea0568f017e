/**
 * Time from a request to the first notice on the wire: alone, with many at once, beside an endpoint that never
 * responds, and by alarm. Then a simulated household.
 */
import { simulate } from "../scripts/lib/simulation/simulate.ts";
import { buildCallKey, type Endpoint, startEndpoint } from "./lib/endpoint.ts";
import { runLoad, measureMedian, getQuantile } from "./lib/measure.ts";
import { type BenchHousehold, createHousehold, type Stack } from "./lib/bench-worker.ts";

const SINGLE_RUNS = 200;
const CROWD_THREADS = 1_000;
const CLIENTS = 32;
const ENDPOINTS = 100;
const ROUNDS = 5;
const ALARM_THREADS = 200;

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

/** Adds one executor for each path of the endpoint, all with the same capability. */
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
  const noticeTimes: number[] = [];
  const fetchTimes: number[] = [];
  for (let run = 0; run < SINGLE_RUNS; run++) {
    const start = performance.now();
    const before = calls.size;
    const { ref } = await createThread(household, "single");
    await until(before + 1);
    noticeTimes.push(calls.get(buildCallKey("/single", ref))! - start);
    const path = `/baseline-${run}`;
    const begun = performance.now();
    await fetchBare(stack, url + path);
    fetchTimes.push(calls.get(buildCallKey(path))! - begun);
  }
  const [notices, baseline] = [summarize(noticeTimes.slice(10)), summarize(fetchTimes.slice(10))];
  return `From the request to the first notice on the wire: p50 ${notices.p50.toFixed(1)} ms, p99 ${notices.p99.toFixed(1)} ms, where a bare fetch of the Worker takes ${baseline.p50.toFixed(1)} and ${baseline.p99.toFixed(1)} ms: ratio ${(notices.p50 / baseline.p50).toFixed(1)}.`;
}

async function measureCrowd(
  stack: Stack,
  household: BenchHousehold,
  { url, calls, until }: Endpoint,
): Promise<string> {
  await addExecutor(household, url, "crowd", ["/crowd"]);
  const before = calls.size;
  const begun = performance.now();
  await runLoad(CLIENTS, CROWD_THREADS, () => createThread(household, "crowd"));
  const acked = performance.now() - begun;
  await until(before + CROWD_THREADS);
  const all = performance.now() - begun;
  let n = 0;
  const baseline = await runLoad(CLIENTS, CROWD_THREADS, () =>
    fetchBare(stack, `${url}/crowd-baseline-${n++}`),
  );
  return `${CROWD_THREADS} threads at once: all acked after ${(acked / 1_000).toFixed(1)} s, all notified after ${(all / 1_000).toFixed(1)} s, ${((1_000 * CROWD_THREADS) / all).toFixed(0)} a second; bare fetches reach ${baseline.throughput.toFixed(0)} a second.`;
}

/** Time until the last member is notified of an offer to many, with and without a member that never responds. */
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
  const [withoutDead, withDead] = [measureMedian(alive.slice(1)), measureMedian(mixed.slice(1))];
  return `${ENDPOINTS} members offered a thread at once, all responding: the last is notified after ${withoutDead.toFixed(0)} ms. With one that never responds: the last of the others after ${withDead.toFixed(0)} ms, ratio ${(withDead / withoutDead).toFixed(2)}.`;
}

/** Delay of notices that an alarm sends at a set time, with and without concurrent appends. */
async function measureAlarms(
  household: BenchHousehold,
  { url, calls, until }: Endpoint,
): Promise<string> {
  await addExecutor(household, url, "alarm", ["/alarm"]);
  const measureLateness = async (withAppends: boolean): Promise<{ p50: number; p99: number }> => {
    const due = Date.now() + 8_000;
    const not_before = new Date(due).toISOString();
    const refs: string[] = [];
    const before = calls.size;
    await runLoad(8, ALARM_THREADS, async () => {
      const more = { constraints: { timing: { not_before } }, coalesce: false };
      refs.push((await createThread(household, "alarm", more)).ref);
    });
    const { ref } = await createThread(household, "nobody-has-this");
    const noisy = { on: withAppends };
    const noise = Array.from({ length: 4 }, async () => {
      while (noisy.on)
        await household.agent.postBlocks({ followup: { re: ref, message: "and this" } });
    });
    await until(before + ALARM_THREADS);
    noisy.on = false;
    await Promise.all(noise);
    const origin = performance.timeOrigin;
    return summarize(refs.map((one) => origin + calls.get(buildCallKey("/alarm", one))! - due));
  };
  const quiet = await measureLateness(false);
  const busy = await measureLateness(true);
  return `${ALARM_THREADS} threads due at the same time are notified by their alarms after ${quiet.p50.toFixed(0)} ms (p99 ${quiet.p99.toFixed(0)} ms); during appends by four clients after ${busy.p50.toFixed(0)} ms (p99 ${busy.p99.toFixed(0)} ms).`;
}

/** Simulated people and robots in their channels: how many requests are completed, and how fast. */
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
  return `A simulated household of ${options.people} people and ${options.robots} robots with ${options.requests} requests and ${options.outages} outages: ${done.length} completed, in ${(measureMedian(done.map(({ took }) => took)) / 1_000).toFixed(1)} s in the median, including the time that people take; ${notified} messages and calls.`;
}
