/** The people, robots and requests of a simulation, all determined by a seed. */
import { defined } from "../../../src/mess/defined.ts";
import { type Random, createSeededRandom } from "../../../test/support/generators/random.ts";

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

/** The request, and the texts of everybody involved. */
interface TaskKind {
  title: string;
  requires: string;
  /** An executor's question, and the agent's reply. */
  question: string;
  reply: string;
  /** A further suggestion of a robot. */
  suggestion?: string;
  /** The executor's answer. */
  answer: string;
}

/** An event that happens for certain, so that every run shows it once. */
type Incident = "question" | "blurred photo" | "suggestion" | "breakdown";

export interface SimulatedTask extends TaskKind {
  /** Client id of the request. */
  id: string;
  /** The title with the number of the request, so that a message shows which one it is about. */
  intent: string;
  incident?: Incident;
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

const FRIDGE: TaskKind = {
  title: "what's in the fridge?",
  requires: "take-photo",
  question: "Which shelf do you mean?",
  reply: "the top one",
  answer: "Milk, four eggs and broccoli.",
};
const ONIONS: TaskKind = {
  title: "buy yellow onions",
  requires: "local-errands",
  question: "How many?",
  reply: "five",
  answer: "The onions are in the kitchen.",
};
const TASKS_FOR_PEOPLE: readonly TaskKind[] = [
  FRIDGE,
  ONIONS,
  {
    title: "is the garage door closed?",
    requires: "check-visual",
    question: "The big door or the small one?",
    reply: "the big one",
    answer: "It is closed.",
  },
  {
    title: "water the basil",
    requires: "home-care",
    question: "Which pot?",
    reply: "the one by the window",
    answer: "Done. It was very dry.",
  },
  {
    title: "is there a parcel at the door?",
    requires: "check-visual",
    question: "The front door or the back door?",
    reply: "the front door",
    answer: "Yes, a small one.",
  },
];
/** In the order of the robots that do them. */
const TASKS_FOR_ROBOTS: readonly TaskKind[] = [
  {
    title: "vacuum the rice spill",
    requires: "vacuum-floor",
    question: "Which area?",
    reply: "near the sink",
    suggestion: "Vacuum under the table as well.",
    answer: "All done, including the corners.",
  },
  {
    title: "mop the hall",
    requires: "mop-floor",
    question: "With or without soap?",
    reply: "without",
    suggestion: "Mop the kitchen as well.",
    answer: "The floor is clean. It dries in ten minutes.",
  },
  {
    title: "print four cable clips",
    requires: "print-3d",
    question: "Which color?",
    reply: "white",
    suggestion: "Print a fifth one as a spare.",
    answer: "The clips are on the plate.",
  },
];

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

/** The first requests show one incident each; the others are random. */
function buildTask(seed: number, index: number, robots: number): SimulatedTask {
  const random = createRandom(seed, "errand", index);
  const drawn = pick(
    random,
    robots > 0 ? [...TASKS_FOR_PEOPLE, ...TASKS_FOR_ROBOTS] : TASKS_FOR_PEOPLE,
  );
  const [kind, incident] = buildIncidents(robots)[index] ?? [drawn];
  return {
    ...kind,
    id: `errand-${index + 1}`,
    intent: `${kind.title} (request ${index + 1})`,
    priority: pick(random, ["urgent", "elevated", "normal", "normal", "background"] as const),
    at: index * random.pickBetween(100, 500),
    ...defined({ incident }),
  };
}

function buildIncidents(robots: number): (readonly [TaskKind, Incident])[] {
  const [first, second = first] = TASKS_FOR_ROBOTS.slice(0, robots);
  return [
    [FRIDGE, "blurred photo"],
    ...(first ? [[first, "breakdown"] as const] : []),
    [ONIONS, "question"],
    ...(second ? [[second, "suggestion"] as const] : []),
  ];
}
