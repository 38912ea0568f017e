/** Waits for messages as MCP tasks: the client polls, and each poll looks whether messages have arrived. */
import type { Principal } from "../../../auth/principal.ts";
import { callGroups } from "../../../exchange/group-calls/group-memberships.ts";
import {
  cancelGroupWait,
  readGroupWait,
  type WaitResult,
  waitForGroupMessages,
} from "../../../exchange/group-calls/wait-for-messages.ts";
import type { MembershipIds } from "../../../exchange/group-calls/with-group.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import { defined } from "../../../mess/defined.ts";
import type { Outcome } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import type { McpCaller } from "../caller.ts";
import { type McpTask, type TaskSource, toHandle } from "../tasks/protocol.ts";
import type { ToolContext, ToolNamer, ToolOutput } from "../tool.ts";
import { describeReceived } from "./describe-wait.ts";
import { buildTimedTask, formatTaskId, isTimeOver, splitTaskId } from "./timed-task.ts";
import { formatWaitTaskId, isWaitTaskId, parseWaitTaskId, type WaitTask } from "./wait-task-id.ts";

function buildTask(
  taskId: string,
  task: WaitTask,
  received: WaitResult,
  toolName: ToolNamer,
): McpTask {
  if (received.cancelled) return buildTimedTask(taskId, task, "cancelled");
  const isWorking = received.messages.length === 0 && !isTimeOver(task) && !received.closed;
  return buildTimedTask(taskId, task, isWorking ? "working" : describeReceived(received, toolName));
}

/** Returns the messages that wait already, or a task. A closed group needs no task. */
export async function startWaitTask(
  { env, caller }: ToolContext,
  principal: Principal,
  ids: MembershipIds,
  seconds: number,
  toolName: ToolNamer,
  cursor: string | undefined,
): Promise<Outcome<ToolOutput>> {
  const membership = await callGroups(env, principal, (groups) =>
    groups.resolve(principal, defined(ids)),
  );
  if (!membership.ok) return membership;
  const { group_id: group, my_id: member } = membership.value;
  const received = await waitForGroupMessages(env, principal, membership.value, cursor, 0);
  if (!received.ok) return received;
  if (received.value.messages.length > 0 || received.value.closed)
    return ok(describeReceived(received.value, toolName));
  const began = Math.floor(Date.now() / 1_000);
  const task = {
    group,
    member,
    cursor: received.value.cursor,
    isContinued: cursor === undefined,
    began,
    until: began + seconds,
    nonce: crypto.randomUUID().slice(0, 8),
  };
  const id = formatTaskId(caller, principal, formatWaitTaskId(task));
  return ok(toHandle(buildTask(id, task, received.value, toolName)));
}

export const isWaitTask = (caller: McpCaller, taskId: string): boolean =>
  isWaitTaskId(splitTaskId(caller, taskId)[1]);

/** @param toolName the names of the tools at this address */
export function createWaitTasks(
  env: ExchangeBindings,
  caller: McpCaller,
  toolName: ToolNamer,
): TaskSource {
  const locate = (taskId: string) => {
    const [principal, own] = splitTaskId(caller, taskId);
    const task = parseWaitTaskId(own);
    return (
      principal &&
      task && { principal, own, task, ids: { group_id: task.group, my_id: task.member } }
    );
  };
  /** @param isDelivery whether the client gets the messages, so that the next wait continues after them */
  const find = async (taskId: string, isDelivery: boolean): Promise<McpTask | undefined> => {
    const located = locate(taskId);
    if (!located) return undefined;
    const { principal, own, task, ids } = located;
    const receive = (cursor?: string) => readGroupWait(env, principal, ids, own, cursor);
    const continued = isDelivery && task.isContinued ? await receive() : undefined;
    const isFirst = continued?.ok && continued.value.messages.length > 0;
    // A later look at the same task shows the same messages.
    const received = isFirst ? continued : await receive(task.cursor);
    return received.ok ? buildTask(taskId, task, received.value, toolName) : undefined;
  };
  return {
    get: (taskId) => find(taskId, true),
    // A wait asks nothing.
    update: async (taskId) => ok((await find(taskId, false)) !== undefined),
    async cancel(taskId) {
      const located = locate(taskId);
      const task = await find(taskId, false);
      if (!located || !task) return false;
      const { principal, own, ids } = located;
      // A task that has ended keeps its result.
      if (task.status !== "working") return true;
      return (await cancelGroupWait(env, principal, ids, own)).ok;
    },
  };
}

/** Tasks of several kinds, told apart by their ids. */
export function combineTasks(
  choices: readonly (readonly [isOwn: (taskId: string) => boolean, tasks: TaskSource])[],
  others: TaskSource,
): TaskSource {
  const choose = (taskId: string) => choices.find(([isOwn]) => isOwn(taskId))?.[1] ?? others;
  return {
    get: (taskId, ctx) => choose(taskId).get(taskId, ctx),
    update: (taskId, responses, ctx) => choose(taskId).update(taskId, responses, ctx),
    cancel: (taskId, ctx) => choose(taskId).cancel(taskId, ctx),
  };
}
