/** The people, robots and requests of a simulation, all determined by a seed. */
import { type Random, createSeededRandom } from "../../../test/support/random.ts";

export interface ScenarioOptions {
  seed: number;
  people: number;
  robots: number;
  requests: number;
  /** Number of channel outages. */
  outages: number;
}

/** Probabilities from 0 to 1; `takes` is the time for one step in milliseconds. */
export interface PersonBehavior {
  takes: [least: number, most: number];
  declines: number;
  asks: number;
  /** The first photo is blurred. */
  blurs: number;
  /** Ignores the request. */
  sleeps: number;
}

export interface RobotBehavior {
  takes: [least: number, most: number];
  asks: number;
  /** Breaks down halfway, so that someone else must take over. */
  dies: number;
  /** The endpoint fails at the first call. */
  stumbles: number;
}

export const PERSON_CHANNELS = ["slack", "telegram", "sms"] as const;
export type PersonChannel = (typeof PERSON_CHANNELS)[number];

export interface SimulatedPerson {
  id: string;
  name: string;
  channel: PersonChannel;
  /** Position among the people; the Slack user, chat or phone number is derived from it. */
  index: number;
  behavior: PersonBehavior;
}

export interface SimulatedRobot {
  id: string;
  name: string;
  skill: string;
  behavior: RobotBehavior;
}

export interface SimulatedTask {
  /** Client id of the request. */
  id: string;
  intent: string;
  requires: string;
  priority: "urgent" | "elevated" | "normal" | "background";
  /** Time of the request, in milliseconds after the start. */
  at: number;
}

export interface Scenario {
  people: SimulatedPerson[];
  machines: SimulatedRobot[];
  tasks: SimulatedTask[];
}

const NAMES = ["Ann", "Ben", "Cleo", "Dora", "Emil", "Finn", "Gul", "Hugo", "Ines", "Jan"];
const MACHINES = [
  ["Roomba", "vacuum-floor"],
  ["Mopper", "mop-floor"],
  ["Printer", "print-3d"],
] as const;

const TASKS_FOR_PEOPLE = [
  ["what's in the fridge?", "take-photo"],
  ["is the garage door closed?", "check-visual"],
  ["buy yellow onions", "local-errands"],
  ["water the basil", "home-care"],
  ["is there a parcel at the door?", "check-visual"],
] as const;
const TASKS_FOR_ROBOTS = [
  ["vacuum the rice spill", "vacuum-floor"],
  ["mop the hall", "mop-floor"],
  ["print four cable clips", "print-3d"],
] as const;

/** Capabilities of every person; the routing rules prefer robots for the last two. */
export const PEOPLE_SKILLS = [
  "take-photo",
  "check-visual",
  "local-errands",
  "home-care",
  "vacuum-floor",
  "mop-floor",
];

/** Random numbers that depend only on the seed and the purpose, not on the order of calls. */
export function createRandom(seed: number, ...about: (string | number)[]): Random {
  let mixed = seed >>> 0;
  for (const sign of about.join(" ")) mixed = Math.imul(mixed ^ sign.codePointAt(0)!, 0x01000193);
  return createSeededRandom(mixed);
}

const pick = <T>(random: Random, list: readonly T[]): T =>
  list[random.pickBetween(0, list.length - 1)]!;

/** From 0 to `max`. */
const drawShare = (random: Random, max: number): number => random.next() * max;

export function buildScenario({ seed, people, robots, requests }: ScenarioOptions): Scenario {
  return {
    people: Array.from({ length: people }, (_, index) => buildPerson(seed, index)),
    machines: Array.from({ length: robots }, (_, index) => buildRobot(seed, index)),
    tasks: Array.from({ length: requests }, (_, index) => buildTask(seed, index, robots)),
  };
}

function buildPerson(seed: number, index: number): SimulatedPerson {
  const random = createRandom(seed, "person", index);
  const name = `${NAMES[index % NAMES.length]!}${index < NAMES.length ? "" : ` ${index}`}`;
  const quickest = random.pickBetween(50, 400);
  return {
    id: name.toLowerCase().replace(" ", "-"),
    name,
    channel: PERSON_CHANNELS[index % PERSON_CHANNELS.length]!,
    index,
    behavior: {
      takes: [quickest, quickest + random.pickBetween(100, 900)],
      declines: drawShare(random, 0.4),
      asks: drawShare(random, 0.4),
      blurs: drawShare(random, 0.5),
      sleeps: drawShare(random, 0.4),
    },
  };
}

function buildRobot(seed: number, index: number): SimulatedRobot {
  const random = createRandom(seed, "machine", index);
  const [name, skill] = MACHINES[index % MACHINES.length]!;
  const suffix = index < MACHINES.length ? "" : ` ${index}`;
  return {
    id: `${name}${suffix}`.toLowerCase().replace(" ", "-"),
    name: `${name}${suffix}`,
    skill,
    behavior: {
      takes: [100, random.pickBetween(300, 1_200)],
      asks: drawShare(random, 0.5),
      dies: drawShare(random, 0.5),
      stumbles: drawShare(random, 0.4),
    },
  };
}

function buildTask(seed: number, index: number, robots: number): SimulatedTask {
  const random = createRandom(seed, "errand", index);
  const [intent, requires] = pick(
    random,
    robots > 0 ? [...TASKS_FOR_PEOPLE, ...TASKS_FOR_ROBOTS] : TASKS_FOR_PEOPLE,
  );
  return {
    id: `errand-${index + 1}`,
    intent: `${intent} (errand ${index + 1})`,
    requires,
    priority: pick(random, ["urgent", "elevated", "normal", "normal", "background"] as const),
    at: index * random.pickBetween(100, 500),
  };
}
