/** `npm run simulate`: starts an exchange and runs a simulated household of people and robots on it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { NO_LIMITS } from "./lib/no-limits.ts";
import { withExchange } from "./lib/exchange/exchange.ts";
import { UsageError } from "./lib/options.ts";
import { runProgram } from "./lib/program.ts";
import { buildScenario, type ScenarioOptions } from "./lib/simulation/scenario.ts";
import { formatCast, formatTask, listNames } from "./lib/simulation/report.ts";
import { simulate } from "./lib/simulation/simulate.ts";
import { formatSummary, listLost } from "./lib/simulation/summary.ts";

const USAGE = `npm run simulate -- [options]

  --people N     people on Slack, Telegram and SMS                (4)
  --robots N     robots behind webhooks                           (3)
  --requests N   requests of the agent                            (12)
  --outages N    channel outages                                  (2)
  --seed N       random seed; the same seed gives the same cast   (1)
  --help         show this text

Prints the cast, every request as it ends, and a summary. Exits with 1 if a request was lost.
Slack, Telegram and Twilio are simulated by local servers; nothing leaves this machine.`;

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
      throw new UsageError(`--${name} ${text}: must be a whole number from 0 to ${max}`);
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
    console.log("Starting the exchange…");
    await withExchange(
      { port: 0, readyFile: undefined, limits: NO_LIMITS },
      directory,
      signal,
      async (ready) => {
        console.log(`The exchange is running on ${ready.origin}.\n`);
        const scenario = buildScenario(options);
        const names = listNames(scenario);
        console.log(`${formatCast(scenario)}\n`);
        console.log(
          `Each request is shown when it has ended. --seed ${options.seed + 1} gives another cast.\n`,
        );
        const outcome = await simulate(
          ready,
          options,
          (result) => console.log(formatTask(result, names)),
          signal,
        );
        signal.throwIfAborted();
        console.log(`Summary\n\n${formatSummary(outcome, names)}`);
        if (listLost(outcome).length > 0) process.exitCode = 1;
      },
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
