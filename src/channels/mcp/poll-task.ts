/**
 * A task that a robot is at work on by itself: looked at from time to time, while the thread is the robot's. What is to
 * be remembered from one look to the next is the delivery's handle.
 */
import { isFinal, type Status } from "../../mess/status.ts";
import type { Notice, SendContext, SendResult } from "../channel.ts";
import { buildFailureStatus, resultToReply, buildWorkingStatus } from "./result-messages.ts";
import { requestTask, type NewTask } from "./task.ts";
import { type McpServer, toServerFailure } from "./http-client.ts";

const MINUTE_MS = 60_000;
/** Its lease is renewed by what it says: within it, something is said for it though it has no new words. */
const MAX_REPORT_INTERVAL_MS = 5 * MINUTE_MS;
/** New words are passed on at most so often. */
const MIN_REPORT_INTERVAL_MS = MINUTE_MS;
/** Seconds between two looks, where the robot does not say, and the bounds of what it may say. */
const POLL_SECONDS = { default: 30, min: 10, max: 300 };
/** Milliseconds for one look. */
const POLL_TIMEOUT_MS = 15_000;
/** In these it is the robot's turn. */
const WORKING_STATUSES: readonly string[] = ["claimed", "in_progress"];

interface PolledTask {
  id: string;
  /** When something was last said for it, in milliseconds, and its words. */
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

/** The call was answered with a task. */
export const startPolling = ({ id, pollSeconds: poll }: NewTask): SendResult => ({
  ok: true,
  handle: writeHandle({ id, reportedAt: 0, reportedText: "" }),
  pollAfterSeconds: getPollSeconds(poll),
});

/** One look at the task; the end of it where it is not to be done any more. */
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
      ? { ok: true, note: "stopped: the task is no longer to be done" }
      : toServerFailure(cancelled, now);
  };
  if (!isHolder || isFinal(status as Status)) return await stop();
  const answer = await callServer("tasks/get");
  if (!answer.ok) return toServerFailure(answer, now);
  const { state } = answer;
  if (state.status === "completed") return { ok: true, ...resultToReply(state.result, ref) };
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
