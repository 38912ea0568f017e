/**
 * Polls the task of a robot while the robot holds the thread. The state between two polls is stored as the delivery's
 * handle.
 */
import { isFinal, type Status } from "../../mess/status.ts";
import type { Notice, SendContext, SendResult } from "../channel.ts";
import { buildFailureStatus, convertResult, buildWorkingStatus } from "./result-messages.ts";
import { requestTask, type NewTask } from "./task.ts";
import { type McpServer, toServerFailure } from "./http-client.ts";

const MINUTE_MS = 60_000;
/** A status renews the robot's lease, so one is posted at this interval even without a new text. */
const MAX_REPORT_INTERVAL_MS = 5 * MINUTE_MS;
/** Minimum time between two statuses with new texts. */
const MIN_REPORT_INTERVAL_MS = MINUTE_MS;
/** Seconds between two polls: the default, and the limits of the interval that the robot may ask for. */
const POLL_SECONDS = { default: 30, min: 10, max: 300 };
/** Timeout of one poll. */
const POLL_TIMEOUT_MS = 15_000;
/** Statuses in which the robot is working. */
const WORKING_STATUSES: readonly string[] = ["claimed", "in_progress"];

interface PolledTask {
  id: string;
  /** Time of the last posted status, in milliseconds since 1970, and its text. */
  reportedAt: number;
  reportedText: string;
}

const writeHandle = ({ id, reportedAt, reportedText }: PolledTask): string =>
  JSON.stringify([id, reportedAt, reportedText]);

function readHandle(handle: string): PolledTask {
  const [id, reportedAt, reportedText] = JSON.parse(handle) as [string, number, string];
  return { id, reportedAt, reportedText };
}

const getPollSeconds = (poll: number | undefined): number =>
  Math.min(POLL_SECONDS.max, Math.max(POLL_SECONDS.min, Math.round(poll ?? POLL_SECONDS.default)));

/** Starts polling a task that the server returned. */
export const startPolling = ({ id, pollSeconds: poll }: NewTask): SendResult => ({
  ok: true,
  handle: writeHandle({ id, reportedAt: 0, reportedText: "" }),
  pollAfterSeconds: getPollSeconds(poll),
});

/** Polls the task once, or cancels it if the work is no longer wanted. */
export async function pollTask(
  { egress, now, postReply }: Pick<SendContext<object>, "egress" | "now" | "postReply">,
  server: McpServer,
  handle: string,
  { isHolder, status, ref }: Pick<Notice, "isHolder" | "status" | "ref">,
): Promise<SendResult> {
  const task = readHandle(handle);
  const callServer = (method: "tasks/get" | "tasks/cancel") =>
    requestTask(egress, server, method, task.id, AbortSignal.timeout(POLL_TIMEOUT_MS));
  const stop = async (): Promise<SendResult> => {
    const cancelled = await callServer("tasks/cancel");
    return cancelled.ok
      ? { ok: true, note: "stopped: the task is no longer wanted" }
      : toServerFailure(cancelled, now);
  };
  if (!isHolder || isFinal(status as Status)) return await stop();
  const polled = await callServer("tasks/get");
  if (!polled.ok) return toServerFailure(polled, now);
  const { state } = polled;
  if (state.status === "completed") return { ok: true, ...convertResult(state.result, ref) };
  if (state.status === "ended") return { ok: true, reply: buildFailureStatus(state.reason) };
  const text = state.message ?? task.reportedText;
  const intervalMs = text === task.reportedText ? MAX_REPORT_INTERVAL_MS : MIN_REPORT_INTERVAL_MS;
  const isReportDue = WORKING_STATUSES.includes(status) && now - task.reportedAt >= intervalMs;
  if (isReportDue && postReply && !(await postReply(buildWorkingStatus(text, now))))
    return await stop();
  const next = isReportDue ? { ...task, reportedAt: now, reportedText: text } : task;
  return {
    ok: true,
    handle: writeHandle(next),
    pollAfterSeconds: getPollSeconds(state.pollSeconds),
  };
}
