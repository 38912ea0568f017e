/** What is printed of a simulated household. */
import { FINAL_STATUSES, type TaskResult } from "./simulated-agent.ts";
import type { SimulationOutcome } from "./simulate.ts";

/** One errand as it ended: who was asked, who took it, and how. */
export function formatTask({ task, ref, status, executor, history, took }: TaskResult): string {
  const steps = history
    .filter(({ action }) => action !== "created")
    .map(({ action, by, note }) =>
      by === "exchange"
        ? `${action}${note === undefined ? "" : ` (${note})`}`
        : `${action} by ${by}`,
    );
  const seconds = (took / 1_000).toFixed(1).padStart(5);
  return [
    `${seconds} s  ${status.padEnd(10)} ${executor ?? "nobody"}  "${task.intent}"  ${ref}`,
    ...steps.map((step) => `           · ${step}`),
  ].join("\n");
}

/** Errands that have not ended, that nobody holds, and of which no owner was told: there should be none. */
export const listLost = ({ fates }: SimulationOutcome): TaskResult[] =>
  fates.filter(
    ({ status, executor, history }) =>
      !FINAL_STATUSES.includes(status) &&
      executor === null &&
      !history.some(({ action }) => action === "escalated"),
  );

export function formatSummary(outcome: SimulationOutcome): string {
  const { fates, notified, alerts, outages } = outcome;
  const counts = new Map<string, number>();
  for (const { status } of fates) counts.set(status, (counts.get(status) ?? 0) + 1);
  const failed = fates.flatMap(({ history }) =>
    history.filter(({ action }) => action === "delivery_failed"),
  ).length;
  const statuses = [...counts].map(([status, count]) => `${count} ${status}`).join(", ");
  return [
    `${fates.length} errands: ${statuses}`,
    `${notified} messages and calls, ${failed} failed attempts, ${outages.length} outages, ${alerts.length} alerts to the owner`,
    `${listLost(outcome).length} lost`,
  ].join("\n");
}
