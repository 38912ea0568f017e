/** A wait as a task of the tasks extension: its times are part of its id, so that nothing is stored. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Principal } from "../../../auth/principal.ts";
import { hasSeveral, type McpCaller } from "../caller.ts";
import type { McpTask } from "../tasks/protocol.ts";

const POLL_INTERVAL_MS = 2_000;
/** Milliseconds after its end during which a task can still be read. */
const RESULT_TTL_MS = 3_600_000;

/** Seconds since 1970. */
export interface TaskTimes {
  began: number;
  until: number;
}

const toIsoTime = (seconds: number): string => new Date(seconds * 1_000).toISOString();

export const isTimeOver = ({ until }: TaskTimes): boolean =>
  Math.floor(Date.now() / 1_000) >= until;

export function buildTimedTask(
  taskId: string,
  { began, until }: TaskTimes,
  state: "working" | "cancelled" | CallToolResult,
): McpTask {
  const now = Math.floor(Date.now() / 1_000);
  const fields = {
    taskId,
    createdAt: toIsoTime(began),
    lastUpdatedAt: toIsoTime(Math.min(now, until)),
    ttlMs: (until - began) * 1_000 + RESULT_TTL_MS,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
  if (state === "cancelled") return { ...fields, status: "cancelled" };
  if (state === "working")
    return { ...fields, status: "working", statusMessage: "Waiting for messages." };
  // The extension's own client rejects a result without `resultType`.
  return { ...fields, status: "completed", result: { resultType: "complete", ...state } };
}

/** Names the household where the caller has several. */
export const formatTaskId = (caller: McpCaller, { household }: Principal, own: string): string =>
  hasSeveral(caller) ? `${household}/${own}` : own;

/** The household of a task id, and the id without it. */
export function splitTaskId(caller: McpCaller, taskId: string): [Principal | undefined, string] {
  if (!hasSeveral(caller)) return [caller.principals[0], taskId];
  const slash = taskId.indexOf("/");
  const household = taskId.slice(0, slash);
  return [caller.principals.find((one) => one.household === household), taskId.slice(slash + 1)];
}
