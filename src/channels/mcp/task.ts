/** Tasks of MCP servers of 2026-07-28 (SEP-2663): work that continues after the call, and is polled. */
import { isMap, type JsonMap } from "../../mess/json.ts";
import type { Egress } from "../../egress/egress.ts";
import {
  readResponse,
  type McpServer,
  MODERN_VERSION,
  buildModernMeta,
  NO_HANDSHAKE_STATUSES,
  createPost,
  buildRequest,
  type ServerFailure,
} from "./http-client.ts";

/** A task that a server returned instead of a result. */
export interface NewTask {
  readonly id: string;
  /** Poll interval that the server asks for. */
  readonly pollSeconds: number | undefined;
}

const TASK_ID_PATTERN = /^[\x21-\x7e]{1,500}$/;

/** The task in a response; undefined if the response is a result. */
export function readTask(result: JsonMap): NewTask | undefined {
  const { resultType, taskId, pollIntervalMs } = result;
  // The id is sent in a header, so only visible ASCII is accepted.
  if (resultType !== "task" || typeof taskId !== "string" || !TASK_ID_PATTERN.test(taskId))
    return undefined;
  return { id: taskId, pollSeconds: toSeconds(pollIntervalMs) };
}

const toSeconds = (milliseconds: unknown): number | undefined =>
  typeof milliseconds === "number" ? milliseconds / 1_000 : undefined;

/** The state of a task. */
export type TaskState =
  | {
      readonly status: "working";
      readonly message?: string;
      readonly pollSeconds: number | undefined;
    }
  | { readonly status: "completed"; readonly result: JsonMap }
  | { readonly status: "ended"; readonly reason: string };

export type TaskPoll = { readonly ok: true; readonly state: TaskState } | ServerFailure;

/** Reads or cancels a task. @param signal limits the total time */
export async function requestTask(
  egress: Egress,
  server: McpServer,
  method: "tasks/get" | "tasks/cancel",
  taskId: string,
  signal: AbortSignal,
): Promise<TaskPoll> {
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
  const response = await readResponse(opened.value);
  const { result, error } = response ?? {};
  if (isMap(result)) return { ok: true, state: readTaskState(result) };
  const reason = `the MCP server answered ${isMap(error) ? `error ${Number(error["code"])}` : status}`;
  // A JSON-RPC error is final. An error by status alone may be temporary.
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
