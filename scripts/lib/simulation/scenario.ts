/** Who lives in a simulated household and what is asked of them: a seed decides everything. */
import { type Random, randomFrom } from "../../../test/support/random.ts";

export interface Options {
  seed: number;
  people: number;
  robots: number;
  requests: number;
  /** Times that a channel is down for a while. */
  outages: number;
}

/** How likely each is, from 0 to 1, and how long somebody takes, in milliseconds. */
export interface PersonsWays {
  takes: [least: number, most: number];
  declines: number;
  asks: number;
  /** The first photo cannot be used. */
  blurs: number;
  /** Does not look at the phone at all. */
  sleeps: number;
}

export interface RobotsWays {
  takes: [least: number, most: number];
  asks: number;
  /** Gives up in the middle, and somebody else must go on. */
  dies: number;
  /** Its endpoint fails at the first call. */
  stumbles: number;
}

export const PERSONS_CHANNELS = ["slack", "telegram", "sms"] as const;
export type PersonsChannel = (typeof PERSONS_CHANNELS)[number];

export interface Person {
  id: string;
  name: string;
  channel: PersonsChannel;
  /** A Slack user, a chat, a number: by its place among the people. */
  place: number;
  ways: PersonsWays;
}

export interface Machine {
  id: string;
  name: string;
  skill: string;
  ways: RobotsWays;
}

export interface Errand {
  /** The client id, which also tells one errand's messages from another's. */
  id: string;
  intent: string;
  requires: string;
  priority: "urgent" | "elevated" | "normal" | "background";
  /** Milliseconds after the start at which it is asked. */
  at: number;
}

export interface Cast {
  people: Person[];
  machines: Machine[];
  errands: Errand[];
}

const NAMES = ["Ann", "Ben", "Cleo", "Dora", "Emil", "Finn", "Gul", "Hugo", "Ines", "Jan"];
const MACHINES = [
  ["Roomba", "vacuum-floor"],
  ["Mopper", "mop-floor"],
  ["Printer", "print-3d"],
] as const;

const FOR_PEOPLE = [
  ["what's in the fridge?", "take-photo"],
  ["is the garage door closed?", "check-visual"],
  ["buy yellow onions", "local-errands"],
  ["water the basil", "home-care"],
  ["is there a parcel at the door?", "check-visual"],
] as const;
const FOR_MACHINES = [
  ["vacuum the rice spill", "vacuum-floor"],
  ["mop the hall", "mop-floor"],
  ["print four cable clips", "print-3d"],
] as const;

/** What people can do, and machines would do better. */
export const SKILLS_OF_PEOPLE = [
  "take-photo",
  "check-visual",
  "local-errands",
  "home-care",
  "vacuum-floor",
  "mop-floor",
];

/** Numbers that depend on the seed and on what they are for, not on what came before. */
export function drawFor(seed: number, ...about: (string | number)[]): Random {
  let mixed = seed >>> 0;
  for (const sign of about.join(" ")) mixed = Math.imul(mixed ^ sign.codePointAt(0)!, 0x01000193);
  return randomFrom(mixed);
}

const pick = <T>(random: Random, list: readonly T[]): T =>
  list[random.between(0, list.length - 1)]!;

/** From 0 to `most`. */
const share = (random: Random, most: number): number => random.next() * most;

export function castOf({ seed, people, robots, requests }: Options): Cast {
  return {
    people: Array.from({ length: people }, (_, place) => personAt(seed, place)),
    machines: Array.from({ length: robots }, (_, place) => machineAt(seed, place)),
    errands: Array.from({ length: requests }, (_, place) => errandAt(seed, place, robots)),
  };
}

function personAt(seed: number, place: number): Person {
  const random = drawFor(seed, "person", place);
  const name = `${NAMES[place % NAMES.length]!}${place < NAMES.length ? "" : ` ${place}`}`;
  const quickest = random.between(50, 400);
  return {
    id: name.toLowerCase().replace(" ", "-"),
    name,
    channel: PERSONS_CHANNELS[place % PERSONS_CHANNELS.length]!,
    place,
    ways: {
      takes: [quickest, quickest + random.between(100, 900)],
      declines: share(random, 0.4),
      asks: share(random, 0.4),
      blurs: share(random, 0.5),
      sleeps: share(random, 0.4),
    },
  };
}

function machineAt(seed: number, place: number): Machine {
  const random = drawFor(seed, "machine", place);
  const [name, skill] = MACHINES[place % MACHINES.length]!;
  const suffix = place < MACHINES.length ? "" : ` ${place}`;
  return {
    id: `${name}${suffix}`.toLowerCase().replace(" ", "-"),
    name: `${name}${suffix}`,
    skill,
    ways: {
      takes: [100, random.between(300, 1_200)],
      asks: share(random, 0.5),
      dies: share(random, 0.5),
      stumbles: share(random, 0.4),
    },
  };
}

function errandAt(seed: number, place: number, robots: number): Errand {
  const random = drawFor(seed, "errand", place);
  const [what, requires] = pick(random, robots > 0 ? [...FOR_PEOPLE, ...FOR_MACHINES] : FOR_PEOPLE);
  return {
    id: `errand-${place + 1}`,
    intent: `${what} (errand ${place + 1})`,
    requires,
    priority: pick(random, ["urgent", "elevated", "normal", "normal", "background"] as const),
    at: place * random.between(100, 500),
  };
}
