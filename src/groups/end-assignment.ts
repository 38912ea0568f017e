/** Gives the open tasks of an agent back to those who assigned them, when its claim has ended. */
import type { AssignmentEnd } from "../contracts/groups.ts";
import { EXCHANGE_SENDER } from "../mess/groups/ids.ts";
import { toOneLine } from "../mess/one-line.ts";
import { enqueueDecline } from "./requests/agent-requests.ts";
import { appendMessage } from "./sending/append-message.ts";
import type { GroupStore } from "./tables/group-store.ts";
import { listTaskLines } from "./task-lines.ts";
import type { StoredMessage } from "./tables/message-table.ts";
import type { GroupTask } from "./tables/task-table.ts";

/**
 * Tasks of a later claim and those sent without a claim stay open, and a repeated call does nothing.
 * @returns the messages to those who assigned the tasks
 */
export function endAssignment(
  store: GroupStore,
  { agent: id, epoch, reason, key }: AssignmentEnd,
  now: number,
): StoredMessage[] {
  const agent = store.roster.find(id);
  if (!agent) return [];
  const getKey = (assigner: string): string => `end/${key}/${assigner}`;
  const ended = store.tasks
    .list("open", agent.key)
    .filter((task) => task.epoch !== null && task.epoch <= epoch)
    .filter(({ assigner }) => store.messages.findByKey(getKey(assigner)) === undefined);
  for (const task of ended) store.tasks.update(task, { status: "returned" });
  const [requests, others] = [
    ended.filter(({ assigner }) => assigner === EXCHANGE_SENDER),
    ended.filter(({ assigner }) => assigner !== EXCHANGE_SENDER),
  ];
  if (reason !== "ended")
    for (const task of requests) enqueueDecline(store, task, `the agent ${REASONS[reason]}`, now);
  return [...Map.groupBy(others, ({ assigner }) => assigner)].map(([assigner, tasks]) =>
    appendMessage(store, {
      receiver: assigner,
      sender: EXCHANGE_SENDER,
      type: "message",
      at: now,
      key: getKey(assigner),
      content: describeEnd(store, `${toOneLine(agent.name)} (${agent.id})`, reason, tasks),
      details: { importance: "high" },
    }),
  );
}

const REASONS: Record<AssignmentEnd["reason"], string> = {
  silent: "gave no sign of life for five minutes",
  released: "was released",
  ended: "is not needed any more",
};

const describeEnd = (
  store: GroupStore,
  agent: string,
  reason: AssignmentEnd["reason"],
  tasks: readonly GroupTask[],
): string =>
  [
    `${agent} ${REASONS[reason]} with these tasks open:`,
    ...listTaskLines(store, tasks),
    "Assign one to another agent with pool_claim, where task is the id of the task.",
  ].join("\n");
