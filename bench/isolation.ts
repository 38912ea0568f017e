/**
 * The append of one household while a key of another posts four times as often as it may, compared with the same append
 * without that flood: with the limits of a deployment, and without limits. The flood is paced, since its client and the
 * Worker share the cores of this machine.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { NO_LIMITS } from "../scripts/lib/no-limits.ts";
import { createHousehold, type Stack, startStack } from "./lib/bench-worker.ts";
import { getQuantile, measureMedian } from "./lib/measure.ts";

const ROUNDS = 3;
/** Longer than the period of a rate, so that each round contains a burst and the refusals after it. */
const ROUND_MS = 11_000;
/** Between two appends of the neighbor, which stays within its own rate. */
const PAUSE_MS = 80;
const FLOOD_CONNECTIONS = 8;
/** Between two requests of a connection: 80 a second in all. */
const FLOOD_PAUSE_MS = 100;

const FLOOD_FILE = fileURLToPath(new URL("lib/flood.ts", import.meta.url));

interface FloodCounts {
  accepted: number;
  refused: number;
}

export async function runIsolationBench(): Promise<string> {
  const rows = [
    ["limits of a deployment", await measureUnder("")],
    ["no limits", await measureUnder(NO_LIMITS)],
  ] as const;
  return [
    "## Isolation",
    "",
    `One key posts over ${FLOOD_CONNECTIONS} connections, every ${FLOOD_PAUSE_MS} ms over each; a neighbor appends every ${PAUSE_MS} ms.`,
    "",
    "| | requests of the flood per second | accepted | neighbor's p50 without it | with it | ratio |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    ...rows.map(([name, { flood, quiet, loud, ratio }]) => {
      const total = flood.accepted + flood.refused;
      const perSecond = (total / ((ROUNDS * ROUND_MS) / 1_000)).toFixed(0);
      const accepted = `${((100 * flood.accepted) / total).toFixed(0)} %`;
      return `| ${name} | ${perSecond} | ${accepted} | ${quiet.toFixed(1)} ms | ${loud.toFixed(1)} ms | ${ratio.toFixed(2)} |`;
    }),
  ].join("\n");
}

async function measureUnder(limits: string) {
  const stack = await startStack(limits);
  try {
    const neighbor = await createHousehold(stack, "neighbor");
    const abuser = await createHousehold(stack, "abuser");
    const { ref } = await neighbor.agent.postBlocks({ request: { intent: "count the forks" } });
    const flooded = await abuser.agent.postBlocks({ request: { intent: "count the spoons" } });
    const measure = () =>
      measureAppends(() =>
        neighbor.agent.postBlocks({ followup: { re: ref, message: "twelve so far" } }),
      );
    await measure();
    const flood: FloodCounts = { accepted: 0, refused: 0 };
    const quiet: number[] = [];
    const loud: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      quiet.push(await measure());
      const child = startFlood(stack, abuser.agent.key, flooded.ref);
      loud.push(await measure());
      const counts = await stopFlood(child);
      flood.accepted += counts.accepted;
      flood.refused += counts.refused;
    }
    const ratio = measureMedian(loud.map((one, round) => one / quiet[round]!));
    return { flood, quiet: measureMedian(quiet), loud: measureMedian(loud), ratio };
  } finally {
    await stack.stop();
  }
}

/** The median time of an append in milliseconds, over one round. */
async function measureAppends(append: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + ROUND_MS;
  while (performance.now() < end) {
    const begun = performance.now();
    await append();
    times.push(performance.now() - begun);
    await sleep(PAUSE_MS);
  }
  return getQuantile(
    times.toSorted((a, b) => a - b),
    0.5,
  );
}

const startFlood = ({ origin }: Stack, key: string, ref: string): ChildProcess =>
  spawn(
    process.execPath,
    [FLOOD_FILE, origin, key, ref, String(FLOOD_CONNECTIONS), String(FLOOD_PAUSE_MS)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );

async function stopFlood(child: ChildProcess): Promise<FloodCounts> {
  const output = text(child.stdout!);
  child.kill("SIGTERM");
  return JSON.parse(await output) as FloodCounts;
}
