/** Runs a simulated household: people, robots and the agent act concurrently until every request has ended. */
import { createClient } from "../client.ts";
import type { ReadyFile } from "../exchange/exchange.ts";
import { type TaskResult, runTask } from "./simulated-agent.ts";
import {
  buildScenario,
  createRandom,
  PERSON_CHANNELS,
  type PersonChannel,
  type ScenarioOptions,
} from "./scenario.ts";
import { OWNER_CHAT_ID, setUpHousehold } from "./household.ts";
import { sleepFor, runPerson } from "./simulated-people.ts";
import type { Servers } from "./phones.ts";
import { runRobot } from "./simulated-robots.ts";

/** Deadline of a request in milliseconds. */
const MAX_TASK_MS = 15_000;

export interface SimulationOutcome {
  results: TaskResult[];
  /** Messages received by the channels' servers and calls received by the robots. */
  notified: number;
  /** Texts of the alerts that the owner received. */
  alerts: string[];
  outages: Outage[];
}

interface Outage {
  channel: PersonChannel;
  ms: number;
}

/**
 * @param onTaskEnd is called with each request as it ends
 * @param signal stops the simulation early
 */
export async function simulate(
  ready: ReadyFile,
  options: ScenarioOptions,
  onTaskEnd: (result: TaskResult) => void,
  signal: AbortSignal,
): Promise<SimulationOutcome> {
  const scenario = buildScenario(options);
  const simulated = await setUpHousehold(ready, scenario);
  const stopSimulation = new AbortController();
  const stop = AbortSignal.any([stopSimulation.signal, signal]);
  const intents = scenario.tasks.map(({ intent }) => intent);
  const { servers, robots } = simulated;
  const outages: Outage[] = [];
  for (const { id, behavior } of scenario.machines)
    if (createRandom(options.seed, id, "stumbles").next() < behavior.stumbles)
      robots.get(id)?.script.push("broken");
  const actors = [
    ...scenario.people.map((person) =>
      runPerson(person, options.seed, scenario.tasks, servers, stop),
    ),
    ...scenario.machines.map((one) =>
      runRobot(one, robots.get(one.id)!, options.seed, scenario.tasks, stop),
    ),
    breakChannels(servers, options, outages, stop),
  ];
  try {
    const agent = createClient(ready.origin, ready.keys.agent);
    const results = await Promise.all(
      scenario.tasks.map(async (task) => {
        const result = await runTask(agent, task, MAX_TASK_MS, signal);
        onTaskEnd(result);
        return result;
      }),
    );
    stopSimulation.abort();
    await Promise.all(actors);
    const calls = [...robots.values()].map(({ hooks }) => hooks.length);
    const messages = Object.values(servers).map((server) => server.messages.length);
    return {
      results,
      notified: [...calls, ...messages].reduce((sum, count) => sum + count, 0),
      alerts: servers.telegram.messages
        .filter(
          ({ chat, text }) => chat === OWNER_CHAT_ID && intents.some((one) => text.includes(one)),
        )
        .map(({ text }) => text),
      outages,
    };
  } finally {
    stopSimulation.abort();
    await simulated.stop();
  }
}

/** Takes random channels down for one to two seconds each. */
async function breakChannels(
  servers: Servers,
  { seed, outages }: ScenarioOptions,
  log: Outage[],
  signal: AbortSignal,
): Promise<void> {
  const random = createRandom(seed, "outages");
  for (let left = outages; left > 0 && !signal.aborted; left--) {
    await sleepFor(random.pickBetween(500, 3_000), signal);
    const channel = PERSON_CHANNELS[random.pickBetween(0, 2)]!;
    const lasts = random.pickBetween(1_000, 2_000);
    if (signal.aborted) return;
    log.push({ channel, ms: lasts });
    servers[channel].outage({ status: 503 });
    await sleepFor(lasts, signal);
    servers[channel].endOutage();
  }
}
