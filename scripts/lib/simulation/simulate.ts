/** A household at work: everybody acts by themselves, through the channels they use, until every errand has ended. */
import { client } from "../client.ts";
import type { Ready } from "../exchange.ts";
import { type Fate, pursue } from "./simulated-agent.ts";
import { castOf, drawFor, type Options } from "./scenario.ts";
import { OWNERS_CHAT, settle } from "./household.ts";
import { pause, play } from "./simulated-people.ts";
import type { Servers } from "./phones.ts";
import { operate } from "./simulated-robots.ts";

/** Milliseconds after which nobody needs an errand any more. */
const PATIENCE = 15_000;

export interface Outcome {
  fates: Fate[];
  /** Messages that the channels' servers took, and calls that the robots did. */
  notified: number;
  /** What the owner was told because nobody answered. */
  alerts: string[];
  outages: string[];
}

/**
 * @param told is called with each errand as it ends
 * @param signal ends it early
 */
export async function simulate(
  ready: Ready,
  options: Options,
  told: (fate: Fate) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const cast = castOf(options);
  const home = await settle(ready, cast);
  const over = new AbortController();
  const stop = AbortSignal.any([over.signal, signal]);
  const intents = cast.errands.map(({ intent }) => intent);
  const { servers, robots } = home;
  const outages: string[] = [];
  for (const { id, ways } of cast.machines)
    if (drawFor(options.seed, id, "stumbles").next() < ways.stumbles)
      robots.get(id)?.script.push("broken");
  const actors = [
    ...cast.people.map((person) => play(person, options.seed, intents, servers, stop)),
    ...cast.machines.map((one) => operate(one, robots.get(one.id)!, options.seed, stop)),
    breakDown(servers, options, outages, stop),
  ];
  try {
    const agent = client(ready.origin, ready.keys.agent);
    const fates = await Promise.all(
      cast.errands.map(async (errand) => {
        const fate = await pursue(agent, errand, PATIENCE, signal);
        told(fate);
        return fate;
      }),
    );
    over.abort();
    await Promise.all(actors);
    const calls = [...robots.values()].map(({ hooks }) => hooks.length);
    const messages = Object.values(servers).map((server) => server.messages.length);
    return {
      fates,
      notified: [...calls, ...messages].reduce((sum, count) => sum + count, 0),
      alerts: servers.telegram.messages
        .filter(
          ({ chat, text }) => chat === OWNERS_CHAT && intents.some((one) => text.includes(one)),
        )
        .map(({ text }) => text),
      outages,
    };
  } finally {
    over.abort();
    await home.stop();
  }
}

/** Channels that are down for a second or two, now and then. */
async function breakDown(
  servers: Servers,
  { seed, outages }: Options,
  log: string[],
  signal: AbortSignal,
): Promise<void> {
  const random = drawFor(seed, "outages");
  for (let left = outages; left > 0 && !signal.aborted; left--) {
    await pause(random.between(500, 3_000), signal);
    const names = ["slack", "telegram", "sms"] as const;
    const name = names[random.between(0, 2)]!;
    const lasts = random.between(1_000, 2_000);
    if (signal.aborted) return;
    log.push(`${name} for ${lasts} ms`);
    servers[name].outage({ status: 503 });
    await pause(lasts, signal);
    servers[name].lift();
  }
}
