/** The printed report of a simulation: the cast, and each request as it ends. The summary is in its own module. */
import { describeMessages } from "./describe-messages.ts";
import { formatDuration, joinWords, wrap } from "./plain-text.ts";
import type { PersonChannel, Scenario } from "./scenario.ts";
import type { TaskResult } from "./simulated-agent.ts";

export const CHANNEL_NAMES: Readonly<Record<PersonChannel, string>> = {
  slack: "Slack",
  telegram: "Telegram",
  sms: "SMS",
};

const SKILL_NAMES: Readonly<Record<string, string>> = {
  "vacuum-floor": "vacuums floors",
  "mop-floor": "mops floors",
  "print-3d": "prints things",
};

/** Display names of the members by their ids. */
export type MemberNames = ReadonlyMap<string, string>;

export const listNames = ({ people, machines }: Scenario): MemberNames =>
  new Map([
    ["claude", "Claude"],
    ...[...people, ...machines].map(({ id, name }) => [id, name] as const),
  ]);

/** Lists who takes part, and how each of them behaves under this seed. */
export function formatCast({ people, machines, tasks }: Scenario): string {
  const lines = [
    `Claude is the agent. It sends ${tasks.length} requests to a household of ${people.length} people and ${machines.length} robots, without knowing who will do them. The exchange decides whom to ask. The owner gets a Telegram message where nobody is left to ask.`,
    "",
    ...people.map(({ name, channel, behavior: { declines, asks, blurs, sleeps } }) =>
      formatMember(name, `person, on ${CHANNEL_NAMES[channel]}`, [
        [declines, "declines"],
        [asks, "asks back"],
        [blurs, "blurs photos"],
        [sleeps, "does not answer"],
      ]),
    ),
    ...machines.map(({ name, skill, behavior: { asks, dies } }) =>
      formatMember(name, `robot, ${SKILL_NAMES[skill] ?? skill}`, [
        [asks, "asks back"],
        [dies, "breaks down"],
      ]),
    ),
  ];
  return lines.map((line) => wrap(line, line.startsWith("  ") ? MEMBER_INDENT : "")).join("\n");
}

const MEMBER_INDENT = " ".repeat(13);
/** Probabilities from which a habit is mentioned, and from which it counts as frequent. */
const [SOMETIMES, OFTEN] = [0.1, 0.25];

/** @param habits what the member does, with its probability */
function formatMember(
  name: string,
  role: string,
  habits: readonly (readonly [share: number, action: string])[],
): string {
  const often = habits.filter(([share]) => share >= OFTEN);
  const sometimes = habits.filter(([share]) => share >= SOMETIMES && share < OFTEN);
  const parts = [["often", often] as const, ["sometimes", sometimes] as const]
    .filter(([, actions]) => actions.length > 0)
    .map(([how, actions]) => `${how} ${joinWords(actions.map(([, action]) => action))}`);
  return `  ${name.padEnd(8)}   ${[role, ...parts].join("; ")}`;
}

/** Describes one request after its end: its status, how long it took, and what everybody did and wrote, in order. */
export function formatTask(result: TaskResult, names: MemberNames = new Map()): string {
  const { task, status, executor, took } = result;
  const by = executor === null ? "" : ` by ${names.get(executor) ?? executor}`;
  return [
    `Request ${task.id.replace(/^\D+/, "")}: ${task.title}`,
    ...mergeEvents(result, names).map((line) => wrap(`  - ${line}`, "    ")),
    wrap(`  = ${capitalize(status)}${by} after ${formatDuration(took)}.`, "    "),
    "",
  ].join("\n");
}

/** Messages and steps of the exchange in order. Times are to the second, so the history decides within a second. */
function mergeEvents({ history, messages }: TaskResult, names: MemberNames): string[] {
  const pending = describeMessages(messages);
  const printed: string[] = [];
  const notified: string[] = [];
  const flush = () => {
    if (notified.length > 0)
      printed.push(`The exchange notifies ${joinWords(notified.splice(0))}.`);
  };
  const print = (count: number) => {
    if (count > 0) flush();
    for (const { from, lines } of pending.splice(0, count))
      printed.push(...lines.map((line) => endSentence(`${names.get(from) ?? from} ${line}`)));
  };
  for (const { action, at, by, note = "" } of history) {
    if (by !== "exchange") {
      print(pending.findIndex(({ from, codes }) => from === by && codes.includes(action)) + 1);
      continue;
    }
    const later = pending.findIndex((message) => message.at >= at);
    print(later < 0 ? pending.length : later);
    const [, member = "", channel = ""] = /^notified (\S+) via (\S+)$/.exec(note) ?? [];
    if (channel === "") {
      flush();
      const text = describeStep(action, nameMembers(note, names));
      if (text !== undefined) printed.push(endSentence(text));
    } else
      notified.push(
        `${names.get(member) ?? member} by ${CHANNEL_NAMES[channel as PersonChannel] ?? channel}`,
      );
  }
  flush();
  print(pending.length);
  return printed;
}

/** Describes a step of the exchange; undefined where the other lines say it already. */
function describeStep(action: string, note: string): string | undefined {
  switch (action) {
    case "created":
    case "completed":
      return undefined;
    case "dispatched":
      return note.replace(/^offered to (.*)$/, "The exchange offers it to $1");
    case "escalated":
      return note.startsWith("to the owners")
        ? note.replace(/^to the owners: /, "The exchange alerts the owner: ")
        : note.replace(/^offered to (.*)$/, "The exchange now also offers it to $1");
    case "reminded":
      return `The exchange reminds ${note}`;
    case "retrying":
      return `The exchange tries again: ${note}`;
    case "delivery_failed":
      return `Delivery problem: ${nameChannels(note)}`;
    default:
      return `The exchange notes "${action}"${note === "" ? "" : `: ${note}`}`;
  }
}

/** Writes display names in place of ids. */
const nameMembers = (note: string, names: MemberNames): string =>
  note.replaceAll(/[a-z][a-z0-9-]*/g, (word) => names.get(word) ?? word);

const nameChannels = (note: string): string =>
  note.replace(
    /\bby (slack|telegram|sms)\b/,
    (_, channel: PersonChannel) => `by ${CHANNEL_NAMES[channel]}`,
  );

const endSentence = (text: string): string => (/[.?!]"?$/.test(text) ? text : `${text}.`);
const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
