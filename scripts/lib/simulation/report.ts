/** The printed report of a simulation: the cast, each request as it ends, and the summary. */
import { describeMessages } from "./describe-messages.ts";
import { PERSON_CHANNELS, type PersonChannel, type Scenario } from "./scenario.ts";
import { FINAL_STATUSES, type TaskResult } from "./simulated-agent.ts";
import type { SimulationOutcome } from "./simulate.ts";

const CHANNEL_NAMES: Readonly<Record<PersonChannel, string>> = {
  slack: "Slack",
  telegram: "Telegram",
  sms: "SMS",
};

const toPercent = (share: number): string => `${Math.round(share * 100)}%`;
const toSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Who takes part, and how each of them behaves under this seed. */
export function formatCast({ people, machines, tasks }: Scenario): string {
  const channels = PERSON_CHANNELS.map((channel) => CHANNEL_NAMES[channel]).join(", ");
  return [
    `The cast: ${people.length} people (${channels}) and ${machines.length} robots (webhooks).`,
    `An agent, claude, sends them ${tasks.length} requests. The owner is alerted on Telegram.`,
    "",
    ...people.map(
      ({ id, channel, behavior }) =>
        `  ${id.padEnd(10)} ${CHANNEL_NAMES[channel].padEnd(9)} ` +
        `needs up to ${toSeconds(behavior.takes[1])} a step, declines ${toPercent(behavior.declines)}, ` +
        `asks back ${toPercent(behavior.asks)}, blurs photos ${toPercent(behavior.blurs)}, ` +
        `ignores messages ${toPercent(behavior.sleeps)}`,
    ),
    ...machines.map(
      ({ id, skill, behavior }) =>
        `  ${id.padEnd(10)} ${skill.padEnd(13)} ` +
        `needs up to ${toSeconds(behavior.takes[1])} a step, asks back ${toPercent(behavior.asks)}, ` +
        `breaks down ${toPercent(behavior.dies)}`,
    ),
  ].join("\n");
}

/** One request as it ended: its status, how long it took, and what everybody did and wrote, in order. */
export function formatTask(result: TaskResult): string {
  const { task, ref, status, executor, took } = result;
  return [
    `"${task.intent}": ${status}${executor === null ? "" : ` by ${executor}`} after ${toSeconds(took)}`,
    `    ${ref}, ${task.priority}, needs ${task.requires}`,
    ...mergeEvents(result).map((line) => `    - ${line}`),
    "",
  ].join("\n");
}

/** Messages and steps of the exchange in order. Times are to the second, so the history decides within a second. */
function mergeEvents({ history, messages }: TaskResult): string[] {
  const pending = describeMessages(messages);
  const printed: string[] = [];
  const print = (count: number) =>
    printed.push(...pending.splice(0, count).flatMap(({ lines }) => lines));
  for (const { action, at, by, note } of history) {
    if (by === "exchange") {
      const later = pending.findIndex((message) => message.at >= at);
      print(later < 0 ? pending.length : later);
      if (!["created", "completed"].includes(action)) printed.push(`exchange: ${note ?? action}`);
    } else print(pending.findIndex(({ from, codes }) => from === by && codes.includes(action)) + 1);
  }
  print(pending.length);
  return printed;
}

/** Requests that are still open, that nobody works on, and about which no owner was alerted: there must be none. */
export const listLost = ({ results }: SimulationOutcome): TaskResult[] =>
  results.filter(
    ({ status, executor, history }) =>
      !FINAL_STATUSES.includes(status) &&
      executor === null &&
      !history.some(({ action }) => action === "escalated"),
  );

/** Three lines: the requests by status, the deliveries, and the number of lost requests. */
export function formatSummary(outcome: SimulationOutcome): string {
  const { results, notified, alerts, outages } = outcome;
  const counts = new Map<string, number>();
  for (const { status } of results) counts.set(status, (counts.get(status) ?? 0) + 1);
  const failed = results.flatMap(({ history }) =>
    history.filter(({ action }) => action === "delivery_failed"),
  ).length;
  const statuses = [...counts].map(([status, count]) => `${count} ${status}`).join(", ");
  const down = outages.length === 0 ? "" : ` (${outages.join(", ")})`;
  return [
    `Requests:   ${results.length}, of which ${statuses || "none ended"}`,
    `Deliveries: ${notified} messages and calls received, ${failed} given a retry after an error, ${outages.length} channel outages${down}, ${alerts.length} alerts to the owner`,
    `Lost:       ${listLost(outcome).length} (open, with nobody working on it and no alert to the owner)`,
  ].join("\n");
}
