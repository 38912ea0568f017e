/** Lists tasks in a message of the exchange. */
import type { GroupStore } from "./tables/group-store.ts";
import { SUMMARY_CHARS } from "./reading/status-view.ts";
import type { GroupTask } from "./tables/task-table.ts";

/** More tasks are only counted, so that the message stays readable. */
const MAX_LINES = 50;

export function listTaskLines(store: GroupStore, tasks: readonly GroupTask[]): string[] {
  const lines = tasks.slice(0, MAX_LINES).map((task) => {
    const { id, content } = store.messages.get(task.seq)!;
    return `- ${id}: ${content.slice(0, SUMMARY_CHARS).replaceAll(/\s+/g, " ")}`;
  });
  const rest = tasks.length - lines.length;
  return rest > 0 ? [...lines, `- and ${rest} more, which status lists`] : lines;
}
