/** Tasks of a server of 2026-07-28 (SEP-2663): what it is at work on by itself, and is asked about. */
import { isMap, type JsonMap } from "../../mess/json.ts";
import type { Egress } from "../../egress/egress.ts";
import {
  answerTo,
  type McpServer,
  MODERN,
  modernMeta,
  NO_HANDSHAKE,
  poster,
  request,
  type Unreached,
} from "./http-client.ts";

/** An answer to a call that is not there yet. */
export interface NewTask {
  readonly id: string;
  /** Seconds after which the server wants to be asked. */
  readonly poll: number | undefined;
}

const ID = /^[\x21-\x7e]{1,500}$/;

/** The task with which the server has answered; undefined where it has answered with a result. */
export function taskIn(result: JsonMap): NewTask | undefined {
  const { resultType, taskId, pollIntervalMs } = result;
  // It goes into a header.
  if (resultType !== "task" || typeof taskId !== "string" || !ID.test(taskId)) return undefined;
  return { id: taskId, poll: secondsOf(pollIntervalMs) };
}

const secondsOf = (milliseconds: unknown): number | undefined =>
  typeof milliseconds === "number" ? milliseconds / 1_000 : undefined;

/** How far a task is. */
export type TaskState =
  | { readonly status: "working"; readonly message?: string; readonly poll: number | undefined }
  | { readonly status: "completed"; readonly result: JsonMap }
  | { readonly status: "ended"; readonly reason: string };

export type TaskAnswer = { readonly ok: true; readonly state: TaskState } | Unreached;

/** Asks for a task, or for its end. @param signal bounds the whole */
export async function askTask(
  egress: Egress,
  server: McpServer,
  method: "tasks/get" | "tasks/cancel",
  taskId: string,
  signal: AbortSignal,
): Promise<TaskAnswer> {
  const opened = await poster(
    egress,
    server,
    signal,
  )(request(method, { taskId, _meta: modernMeta() }), {
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": method,
    "Mcp-Name": taskId,
  });
  if (!opened.ok) return { ok: false, reason: opened.error.message };
  const { status, headers } = opened.value;
  const answer = await answerTo(opened.value);
  const { result, error } = answer ?? {};
  if (isMap(result)) return { ok: true, state: stateOf(result) };
  const reason = `the MCP server answered ${isMap(error) ? `error ${Number(error["code"])}` : status}`;
  // What it calls an error it will not mend by itself; one that says so by its status alone may.
  return isMap(error) && NO_HANDSHAKE.includes(status)
    ? { ok: true, state: { status: "ended", reason } }
    : { ok: false, reason, status, headers };
}

function stateOf({ status, statusMessage, pollIntervalMs, result, error }: JsonMap): TaskState {
  const message = typeof statusMessage === "string" ? { message: statusMessage } : {};
  if (status === "completed" && isMap(result)) return { status, result };
  if (status === "failed" || status === "cancelled" || status === "completed") {
    const said =
      isMap(error) && typeof error["message"] === "string" ? error["message"] : undefined;
    const reason = said ?? message.message ?? `the robot's task is ${status}`;
    return { status: "ended", reason };
  }
  return { status: "working", ...message, poll: secondsOf(pollIntervalMs) };
}
