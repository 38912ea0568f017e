/**
 * Calls the tool of a robot that is an MCP server. The call may last as long as the work, within the limits below. If
 * the server answers with a task, the task is polled. Progress and result become messages of the robot. A robot that
 * supports neither calls back with the token that it got with the call.
 */
import { defined } from "../../mess/defined.ts";
import type { JsonMap } from "../../mess/json.ts";
import type { MessageInput } from "../../mess/wire/schema.ts";
import type { Channel, Notice, SendContext, SendResult } from "../channel.ts";
import { connectServer, type ToolProgress } from "./tool-call.ts";
import { pollTask, startPolling } from "./poll-task.ts";
import { startCallTimeout, type CallTimeout } from "./call-timeout.ts";
import {
  buildFailureStatus,
  buildMachineMessages,
  toPercent,
  buildProgressStatus,
  convertResult,
} from "./result-messages.ts";
import { type McpServer, toServerFailure } from "./http-client.ts";
import { mcpConfig, type McpAddress } from "./config.ts";
import { buildEarlier, EVENT_BY_NOTICE_KIND } from "../webhook/body.ts";

const DEFAULT_TOOL = "execute_task";
/** Maximum time of a call without data, and in total. */
const MAX_SILENCE_MS = 45_000;
const MAX_CALL_MS = 600_000;
/** Maximum progress reports that are passed on for one call, and the minimum step between two without a text. */
const MAX_PROGRESS_REPORTS = 20;
const PROGRESS_STEP_PERCENT = 5;

export const mcp: Channel<object, McpAddress> = {
  ...mcpConfig,
  features: {
    edits: false,
    updates: false,
    buttons: false,
    // Ten seconds more than the call may take, to post its result.
    timeoutSeconds: MAX_CALL_MS / 1_000 + 10,
  },
  send: sendNotice,
  update: async (sender, address, task, notice) =>
    await pollTask(sender, toServer(address), task, notice),
};

async function sendNotice(
  sender: SendContext<object>,
  address: McpAddress,
  notice: Notice,
): Promise<SendResult> {
  if (!isWorkNotice(notice)) return { ok: true };
  if (!notice.actions.includes("completed"))
    return { ok: true, reply: buildConfirmationRequest(notice) };
  const bound = startCallTimeout(MAX_SILENCE_MS, MAX_CALL_MS);
  try {
    return await callTool(sender, address, notice, bound);
  } finally {
    bound.end();
  }
}

async function callTool(
  { egress, now, postReply }: SendContext<object>,
  address: McpAddress,
  notice: Notice,
  { signal, renew }: CallTimeout,
): Promise<SendResult> {
  const connected = await connectServer(egress, toServer(address), signal);
  if (!connected.ok) return toServerFailure(connected, now);
  const { session } = connected;
  // The robot starts immediately, so it must hold the thread before the call.
  if (
    !notice.isHolder &&
    postReply &&
    !(await postReply(buildMachineMessages({ type: "status", body: { code: "claimed" } })))
  ) {
    await session.close();
    return { ok: true, note: "not called: another member has the thread" };
  }
  const called = await session.call({
    tool: (typeof address === "string" ? undefined : address.tool) ?? DEFAULT_TOOL,
    arguments: buildArguments(notice),
    progressToken: notice.id,
    onData: renew,
    onProgress: createProgressReporter(postReply),
  });
  // Without an answer the robot may still be at work: its lease expires, or it calls back.
  if (called.outcome === "unanswered") return { ok: true, note: called.reason };
  await session.close();
  switch (called.outcome) {
    case "task":
      return startPolling(called.task);
    case "stopped":
      return { ok: true, note: "stopped: the task is no longer wanted" };
    case "refused":
      return { ok: true, reply: buildFailureStatus(called.reason) };
    case "result":
      return { ok: true, ...convertResult(called.result, notice.ref) };
    default:
      return called satisfies never;
  }
}

/** True if the notice asks for work. The answer to a question does, a cancellation does not. */
function isWorkNotice({ kind, isHolder, actions }: Notice): boolean {
  if (kind === "news") return isHolder && actions.includes("completed");
  return (kind === "offer" || kind === "reminder") && !isHolder && actions.includes("claimed");
}

/** The requestor must confirm the work before the robot is called (decision 21). The confirmation arrives as news. */
const buildConfirmationRequest = ({ intent }: Notice): MessageInput[] =>
  buildMachineMessages(
    { type: "status", body: { code: "claimed" } },
    { type: "status", body: { code: "needs_confirmation", action: intent } },
  );

function toServer(address: McpAddress): McpServer {
  if (typeof address === "string") return { url: address };
  const { url, token } = address;
  return token === undefined ? { url } : { url, token };
}

function buildArguments(notice: Notice): JsonMap {
  const { intent, ref, request, context, callback, kind, eventText } = notice;
  return {
    intent,
    ref,
    request,
    context: [...context],
    event: EVENT_BY_NOTICE_KIND[kind],
    ...defined({ news: eventText }),
    ...buildEarlier(notice),
    ...(callback === undefined ? {} : { callback: { ...callback } }),
  };
}

/** Passes on progress with a new text, or with a step of some percent. */
function createProgressReporter(
  postReply: SendContext<object>["postReply"],
): (progress: ToolProgress) => Promise<boolean> {
  let reports = 0;
  let percent = -PROGRESS_STEP_PERCENT;
  let lastText: string | undefined;
  return async (progress) => {
    const at = toPercent(progress) ?? percent;
    const isNew =
      at >= percent + PROGRESS_STEP_PERCENT || (progress.message ?? lastText) !== lastText;
    if (!postReply || !isNew || reports >= MAX_PROGRESS_REPORTS) return true;
    reports += 1;
    percent = at;
    lastText = progress.message ?? lastText;
    return await postReply(buildProgressStatus(progress));
  };
}
