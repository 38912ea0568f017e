/**
 * Which task a report is about. It completes the task while its sender holds it; after the task was given back, the
 * report is delivered, but completes nothing.
 */
import type { GroupMember, NewGroupMessage } from "../../contracts/groups.ts";
import type { GroupStore } from "../tables/group-store.ts";
import type { MessageDetails } from "../tables/message-table.ts";
import type { GroupTask } from "../tables/task-table.ts";

export interface ReportedTask {
  id: string;
  task: GroupTask;
}

const isAssignedBy = (
  { assigner, former_assigners }: GroupTask,
  { key }: Pick<GroupMember, "key">,
): boolean => assigner === key || former_assigners.includes(key);

/** Ids that a report which completes nothing is answered with. */
const MAX_LISTED_TASKS = 10;

/** Ids of the open tasks that the sender holds for the receiver. */
export const listReportable = (
  { messages, tasks }: GroupStore,
  sender: Pick<GroupMember, "key">,
  receiver: Pick<GroupMember, "key">,
): string[] =>
  tasks
    .list("open", sender.key)
    .filter((task) => isAssignedBy(task, receiver))
    .slice(0, MAX_LISTED_TASKS)
    .map(({ seq }) => messages.get(seq)!.id);

/** The task that the report names, or the only one that its sender holds for the receiver. */
export function matchTask(
  { messages, tasks }: GroupStore,
  sender: GroupMember,
  receiver: Pick<GroupMember, "key">,
  { reply_to }: Pick<NewGroupMessage, "reply_to">,
): ReportedTask | undefined {
  const isFor = (one: GroupTask): boolean => isAssignedBy(one, receiver);
  if (reply_to !== undefined) {
    const message = messages.find(reply_to);
    const task = message?.type === "task" ? tasks.find(sender.key, message.seq) : undefined;
    return task && isFor(task) ? { id: reply_to, task } : undefined;
  }
  const [open, ...others] = tasks.list("open", sender.key).filter(isFor);
  const [task] = open ? [open] : tasks.list("returned", sender.key).filter(isFor);
  return task && others.length === 0 ? { id: messages.get(task.seq)!.id, task } : undefined;
}

/** Completes the task if it is open. @returns what the report says about it */
export function completeTask(
  { tasks }: GroupStore,
  { id, task }: ReportedTask,
): Pick<MessageDetails, "completes" | "late"> {
  if (task.status === "returned") return { late: true };
  if (task.status === "done") return {};
  tasks.update(task, { status: "done" });
  return { completes: id };
}
