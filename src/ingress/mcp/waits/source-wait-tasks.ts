/**
 * Waits for messages of sources as MCP tasks. The id holds everything that the wait needs, and each poll looks whether
 * something has arrived. Cancelling stores nothing: nothing runs between two polls.
 */
import type { Principal } from "../../../auth/principal.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import { ok } from "../../../mess/result.ts";
import { isSourceName } from "../../../mess/sources/vocabulary.ts";
import type { McpCaller } from "../caller.ts";
import { type McpTask, type McpTaskHandle, type TaskSource, toHandle } from "../tasks/protocol.ts";
import type { ToolContext, ToolNamer } from "../tool.ts";
import {
  ALL_SOURCES,
  describeReceivedFromSources,
  isEmpty,
  receiveFromSources,
  type SourceWait,
} from "./source-waits.ts";
import {
  buildTimedTask,
  formatTaskId,
  isTimeOver,
  splitTaskId,
  type TaskTimes,
} from "./timed-task.ts";
import { MAX_LONG_WAIT_SECONDS } from "../../../mess/wait-limits.ts";

interface SourceWaitTask extends SourceWait, TaskTimes {
  position: number;
}

const MAX_ID_CHARS = 128;
const PREFIX = "messages.";
const TASK_PATTERN = /^messages\.([a-z][a-z0-9-]{0,31})\.(\d{1,15})\.(\d{10})\.(\d{10})$/;

const formatId = ({ source, position, began, until }: SourceWaitTask): string =>
  `${PREFIX}${source}.${position}.${began}.${until}`;

function parseId(id: string): SourceWaitTask | undefined {
  if (id.length > MAX_ID_CHARS) return undefined;
  const [, source = "", position, began, until] = TASK_PATTERN.exec(id) ?? [];
  const task = {
    source,
    position: Number(position),
    began: Number(began),
    until: Number(until),
  };
  const seconds = task.until - task.began;
  const isKnown = source === ALL_SOURCES || isSourceName(source);
  return isKnown && seconds >= 0 && seconds <= MAX_LONG_WAIT_SECONDS ? task : undefined;
}

/** @param position where the wait begins */
export function startSourceWaitTask(
  { caller }: Pick<ToolContext, "caller">,
  principal: Principal,
  { source, position }: SourceWait & { position: number },
  seconds: number,
): McpTaskHandle {
  const began = Math.floor(Date.now() / 1_000);
  const task = { source, position, began, until: began + seconds };
  const id = formatTaskId(caller, principal, formatId(task));
  return toHandle(buildTimedTask(id, task, "working"));
}

export const isSourceWaitTask = (caller: McpCaller, taskId: string): boolean =>
  splitTaskId(caller, taskId)[1].startsWith(PREFIX);

/** @param toolName the names of the tools at this address */
export function createSourceWaitTasks(
  env: ExchangeBindings,
  caller: McpCaller,
  toolName: ToolNamer,
): TaskSource {
  const find = async (taskId: string): Promise<McpTask | undefined> => {
    const [principal, own] = splitTaskId(caller, taskId);
    const task = parseId(own);
    if (!principal || !task) return undefined;
    const received = await receiveFromSources(env, principal, task, 0);
    if (!received.ok) return undefined;
    const isWorking = isEmpty(received.value) && !isTimeOver(task);
    const result = describeReceivedFromSources(principal, task, received.value, toolName);
    return buildTimedTask(taskId, task, isWorking ? "working" : result);
  };
  return {
    get: find,
    // A wait asks nothing.
    update: async (taskId) => ok((await find(taskId)) !== undefined),
    cancel: async (taskId) => (await find(taskId)) !== undefined,
  };
}
