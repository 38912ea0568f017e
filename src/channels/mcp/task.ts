/** Tasks of a server of 2026-07-28 (SEP-2663): what it is at work on by itself, and is asked about. */
import { isMap, type JsonMap } from "../../mess/json.ts";
import type { Egress } from "../../egress/egress.ts";
import {
  readAnswer,
  type McpServer,
  MODERN_VERSION,
  buildModernMeta,
  NO_HANDSHAKE_STATUSES,
  createPost,
  buildRequest,
  type ServerFailure,
} from "./http-client.ts";

/** An answer to a call that is not there yet. */
export interface NewTask {
  readonly id: string;
  /** Seconds after which the server wants to be asked. */
  readonly pollSeconds: number | undefined;
}

const TASK_ID_PATTERN = /^[\x21-\x7e]{1,500}$/;

/** The task with which the server has answered; undefined where it has answered with a result. */
export function readTask(result: JsonMap): NewTask | undefined {
  const { resultType, taskId, pollIntervalMs } = result;
  // It goes into a header.
  if (resultType !== "task" || typeof taskId !== "string" || !TASK_ID_PATTERN.test(taskId))
    return undefined;
  return { id: taskId, pollSeconds: toSeconds(pollIntervalMs) };
}

const toSeconds = (milliseconds: unknown): number | undefined =>
  typeof milliseconds === "number" ? milliseconds / 1_000 : undefined;

/** How far a task is. */
export type TaskState =
  | {
      readonly status: "working";
      readonly message?: string;
      readonly pollSeconds: number | undefined;
    }
  | { readonly status: "completed"; readonly result: JsonMap }
  | { readonly status: "ended"; readonly reason: string };

export type TaskAnswer = { readonly ok: true; readonly state: TaskState } | ServerFailure;

/** Asks for a task, or for its end. @param signal bounds the whole */
export async function requestTask(
  egress: Egress,
  server: McpServer,
  method: "tasks/get" | "tasks/cancel",
  taskId: string,
  signal: AbortSignal,
): Promise<TaskAnswer> {
  const opened = await createPost(
    egress,
    server,
    signal,
  )(buildRequest(method, { taskId, _meta: buildModernMeta() }), {
    "MCP-Protocol-Version": MODERN_VERSION,
    "Mcp-Method": method,
    "Mcp-Name": taskId,
  });
  if (!opened.ok) return { ok: false, reason: opened.error.message };
  const { status, headers } = opened.value;
  const answer = await readAnswer(opened.value);
  const { result, error } = answer ?? {};
  if (isMap(result)) return { ok: true, state: readTaskState(result) };
  const reason = `the MCP server answered ${isMap(error) ? `error ${Number(error["code"])}` : status}`;
  // What it calls an error it will not mend by itself; one that says so by its status alone may.
  return isMap(error) && NO_HANDSHAKE_STATUSES.includes(status)
    ? { ok: true, state: { status: "ended", reason } }
    : { ok: false, reason, status, headers };
}

function readTaskState({
  status,
  statusMessage,
  pollIntervalMs,
  result,
  error,
}: JsonMap): TaskState {
  const message = typeof statusMessage === "string" ? { message: statusMessage } : {};
  if (status === "completed" && isMap(result)) return { status, result };
  if (status === "failed" || status === "cancelled" || status === "completed") {
    const failureText =
      isMap(error) && typeof error["message"] === "string" ? error["message"] : undefined;
    const reason = failureText ?? message.message ?? `the robot's task is ${status}`;
    return { status: "ended", reason };
  }
  return { status: "working", ...message, pollSeconds: toSeconds(pollIntervalMs) };
}
