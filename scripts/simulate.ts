/** `npm run simulate`: a household of people and robots at work on a started exchange, through its real channels. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { withExchange } from "./lib/exchange.ts";
import { UsageError } from "./lib/options.ts";
import { runProgram } from "./lib/program.ts";
import type { ScenarioOptions } from "./lib/simulation/scenario.ts";
import { formatTask, listLost, formatSummary } from "./lib/simulation/report.ts";
import { simulate } from "./lib/simulation/simulate.ts";

const USAGE = `npm run simulate -- [options]

  --people N     people with a phone: Slack, Telegram, SMS in turn   (4)
  --robots N     robots behind webhooks                             (3)
  --requests N   what is asked of them                              (12)
  --outages N    times that a channel is down for a while           (2)
  --seed N       decides who does what; the same again is the same  (1)
  --help         this text

Slack, Telegram and Twilio are local servers that speak as the real ones do.`;

const DEFAULTS: ScenarioOptions = { people: 4, robots: 3, requests: 12, outages: 2, seed: 1 };
const MAX_COUNT = 1_000;

function readOptions(args: readonly string[]): ScenarioOptions | undefined {
  const value = { type: "string" } as const;
  const options = {
    people: value,
    robots: value,
    requests: value,
    outages: value,
    seed: value,
    help: { type: "boolean", short: "h" },
  } as const;
  let values: Partial<Record<keyof ScenarioOptions, string>> & { help?: boolean };
  try {
    ({ values } = parseArgs({ args: [...args], options, strict: true }));
  } catch (error) {
    throw new UsageError((error as Error).message.split(/[.\n]/)[0] ?? "");
  }
  if (values.help) return undefined;
  const read = (name: keyof ScenarioOptions): number => {
    const text = values[name];
    const number = text === undefined ? DEFAULTS[name] : Number(text);
    const max = name === "seed" ? Number.MAX_SAFE_INTEGER : MAX_COUNT;
    if (!Number.isInteger(number) || number < 0 || number > max)
      throw new UsageError(`--${name} ${text}: not a number from 0 to ${max}`);
    return number;
  };
  return {
    people: read("people"),
    robots: read("robots"),
    requests: read("requests"),
    outages: read("outages"),
    seed: read("seed"),
  };
}

await runProgram(readOptions, USAGE, async (options, signal) => {
  const directory = mkdtempSync(join(tmpdir(), "mess-simulation-"));
  try {
    console.log("Starting an exchange…");
    await withExchange({ port: 0, readyFile: undefined }, directory, signal, async (ready) => {
      console.log(`It runs on ${ready.origin}. Seed ${options.seed}.\n`);
      const outcome = await simulate(
        ready,
        options,
        (fate) => console.log(formatTask(fate)),
        signal,
      );
      console.log(`\n${formatSummary(outcome)}`);
      if (listLost(outcome).length > 0) process.exitCode = 1;
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
