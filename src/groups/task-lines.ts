/** Lists tasks in a message of the exchange. */
import type { GroupStore } from "./tables/group-store.ts";
import { showTask } from "./reading/status-view.ts";
import type { GroupTask } from "./tables/task-table.ts";

/** More tasks are only counted, so that the message stays readable. */
const MAX_LINES = 50;

export function listTaskLines(store: GroupStore, tasks: readonly GroupTask[]): string[] {
  const lines = tasks.slice(0, MAX_LINES).map((task) => {
    const { id, summary } = showTask(store, task);
    return `- ${id}: ${summary.replaceAll(/\s+/g, " ")}`;
  });
  const rest = tasks.length - lines.length;
  return rest > 0 ? [...lines, `- and ${rest} more, which status lists`] : lines;
}
