/** The summary at the end of a simulation: who did what, what went wrong, and how long it took, in words. */
import { CHANNEL_NAMES, type MemberNames } from "./report.ts";
import { count, formatDuration, joinWords, wrap } from "./plain-text.ts";
import { FINAL_STATUSES, type TaskResult } from "./simulated-agent.ts";
import type { SimulationOutcome } from "./simulate.ts";

/** Requests that are still open, that nobody works on, and about which no owner was alerted: there must be none. */
export const listLost = ({ results }: Pick<SimulationOutcome, "results">): TaskResult[] =>
  results.filter(
    ({ status, executor, history }) =>
      !FINAL_STATUSES.includes(status) &&
      executor === null &&
      !history.some(({ action }) => action === "escalated"),
  );

/** The first line counts the requests by their end, the last one those that were lost. */
export function formatSummary(outcome: SimulationOutcome, names: MemberNames = new Map()): string {
  const { results } = outcome;
  const completed = results.filter(({ status }) => status === "completed");
  const others = countBy(
    results
      .filter((result) => !completed.includes(result))
      .map(({ status }) => describeEnd(status)),
  );
  const ends = joinWords(
    ([["completed", completed.length], ...others] as const).map(
      ([end, number]) => `${number} ${number === 1 ? "was" : "were"} ${end}`,
    ),
  );
  const lost = listLost(outcome).length;
  return [
    `Of ${count(results.length, "request")}, ${ends}.`,
    ...describeWork(completed, names),
    ...describeTimes(completed),
    `The exchange sent ${count(outcome.notified, "message")}. On the way:`,
    ...describeTroubles(outcome).map((line) => `  - ${line}`),
    lost === 0
      ? "0 requests were lost: each was completed, has an end, or reached the owner."
      : `${count(lost, "request")} got lost: open, with nobody working on it and no alert.`,
  ]
    .map((line) => wrap(line, line.startsWith("  - ") ? "    " : ""))
    .join("\n");
}

const describeEnd = (status: string): string =>
  FINAL_STATUSES.includes(status) ? status : "not finished in time";

function describeWork(completed: readonly TaskResult[], names: MemberNames): string[] {
  const byExecutor = countBy(completed.map(({ executor }) => executor ?? "nobody"));
  const parts = byExecutor.map(([id, number]) => `${names.get(id) ?? id} did ${number}`);
  return parts.length > 0 ? [`${joinWords(parts)}.`] : [];
}

function describeTimes(completed: readonly TaskResult[]): string[] {
  const times = completed.map(({ took }) => took).toSorted((a, b) => a - b);
  const [middle, slowest] = [times[times.length >> 1], times.at(-1)];
  return middle === undefined || slowest === undefined
    ? []
    : [
        `Half of them took ${formatDuration(middle)} or less, the slowest ${formatDuration(slowest)}.`,
      ];
}

/** Counts of failures, questions and other events; kinds that did not occur are left out. */
function describeTroubles({ results, alerts, outages }: SimulationOutcome): string[] {
  const blocks = results.flatMap(({ messages }) => messages.flatMap(({ MESS }) => MESS));
  const countCode = (code: string) =>
    blocks.filter(({ status }) => status?.["code"] === code).length;
  const blurred = blocks.filter(({ followup }) =>
    String(followup?.["message"]).includes("blurred"),
  );
  const suggestions = blocks.filter(({ suggestion }) => suggestion !== undefined);
  const failedDeliveries = results
    .flatMap(({ history }) => history)
    .filter(({ action }) => action === "delivery_failed");
  const down = outages.map(
    ({ channel, ms }) => `${CHANNEL_NAMES[channel]} for ${formatDuration(ms)}`,
  );
  const lines: [number, string][] = [
    [countCode("needs_input"), "somebody asked back; Claude replied"],
    [suggestions.length, "a robot suggested to do more; Claude accepted"],
    [blurred.length, "somebody sent a blurred photo; Claude asked for a sharper one"],
    [countCode("declined"), "somebody declined; the others could still take the request"],
    [countCode("failed"), "a robot broke down; others were asked instead"],
  ];
  return [
    ...lines.filter(([number]) => number > 0).map(([number, what]) => `${times(number)} ${what}.`),
    ...(down.length > 0 ? [`Out of order: ${joinWords(down)}.`] : []),
    ...(failedDeliveries.length > 0
      ? [
          `${count(failedDeliveries.length, "message")} could not be delivered at first and ${failedDeliveries.length === 1 ? "was" : "were"} sent again.`,
        ]
      : []),
    ...(alerts.length > 0 ? [`The owner was alerted ${times(alerts.length).toLowerCase()}.`] : []),
  ];
}

const times = (number: number): string =>
  number === 1 ? "Once" : number === 2 ? "Twice" : `${number} times`;

/** Values with their counts, the most frequent first. */
function countBy(values: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]);
}
