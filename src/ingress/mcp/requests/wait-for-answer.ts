/** Waits until a thread needs the agent (an answer, a question, the end), and reports progress meanwhile. */
import type { ServerContext } from "@modelcontextprotocol/server";
import type { Principal } from "../../../auth/principal.ts";
import { readThread, waitForChange } from "../../../exchange/exchange.ts";
import { followSuperseded } from "../../../exchange/follow-superseded.ts";
import type { ExchangeBindings } from "../../../exchange/with-thread.ts";
import { defined } from "../../../mess/defined.ts";
import type { Outcome } from "../../../mess/errors.ts";
import { isMap, type Json } from "../../../mess/json.ts";
import { ok } from "../../../mess/result.ts";
import { isFinal, type Status } from "../../../mess/status.ts";
import type { ResourceView } from "../../../contracts/thread-views.ts";
import type { SendLog } from "../sessions/send-log.ts";
import { listOffered } from "./offered-to.ts";
import { isStuck, canReply, listOthersMessages } from "../text/describe-thread.ts";

/** Milliseconds between two progress notifications if nothing changes. */
export const PROGRESS_INTERVAL_MS = 10_000;

/** Blocks that end the wait, because the agent has to act. A suggestion does so while it is open. */
const ANSWER_TYPES = ["response", "followup"];

const isAgentsTurn = ({ envelope }: ResourceView, viewer: Principal): boolean =>
  isFinal(envelope.status) ||
  envelope.status === "partial" ||
  isStuck(envelope) ||
  (isWaitingForReply(envelope.status) && canReply(envelope, viewer));

const isWaitingForReply = (status: Status): boolean =>
  status === "needs_input" || status === "needs_confirmation";

/** `view` holds the messages since the wait began. */
export const hasAnswer = (view: ResourceView, viewer: Principal): boolean =>
  isAgentsTurn(view, viewer) || hasAnswerBlock(view, viewer);

export const hasAnswerBlock = (view: ResourceView, viewer: Principal): boolean =>
  listOthersMessages(view, viewer).some(({ MESS }) =>
    MESS.some(
      (item) =>
        ANSWER_TYPES.some((type) => type in item) || isOpenSuggestion(view, item["suggestion"]),
    ),
  );

/** A suggestion without an id goes by the name of its message, which the message itself does not have. */
const isOpenSuggestion = ({ open }: ResourceView, body: Json | undefined): boolean =>
  isMap(body) && open.suggestions.some(({ id, made_in }) => id === (body["id"] ?? made_in));

export type ReportProgress = (message: string) => Promise<void>;

export const ignoreProgress: ReportProgress = async () => undefined;

/** Sends progress if the client requested it; the value is the number of seconds passed. */
export function createProgressReporter({ mcpReq }: ServerContext, seconds: number): ReportProgress {
  const { _meta: { progressToken } = {} } = mcpReq;
  if (progressToken === undefined) return ignoreProgress;
  const began = Date.now();
  let last = -1;
  return async (message) => {
    const progress = Math.max(Math.round((Date.now() - began) / 100) / 10, last + 0.1);
    last = progress;
    await mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken, progress, total: Math.max(seconds, progress), message },
    });
  };
}

const describeState = ({ envelope }: ResourceView): string => {
  const { status, executor } = envelope;
  const offered = listOffered(envelope);
  return executor
    ? `${executor}: ${status}`
    : offered === undefined
      ? status
      : `${status}, asked ${offered}`;
};

/** Logs a state that differs from the one logged before. A request that cannot continue is a warning. */
async function logState(log: SendLog, view: ResourceView, logged?: string): Promise<string> {
  const { ref, status, executor } = view.envelope;
  const message = describeState(view);
  if (message === logged) return message;
  const level = isStuck(view.envelope) ? "warning" : "info";
  await log(level, { ref, status, ...defined({ executor: executor ?? undefined }), message });
  return message;
}

export interface WaitOptions {
  /** Only later messages end the wait. Without it, an existing answer does too. */
  cursor?: number | undefined;
  /** 0 to MAX_WAIT_SECONDS. */
  seconds: number;
  /** The thread from the cursor on, if it was just read. */
  first?: ResourceView;
  /** Set for one of several parallel waits, which share their progress reports and end together. */
  shared?: { progress: ReportProgress; signal: AbortSignal };
}

/**
 * Returns the thread with its messages since `cursor` as soon as the agent has to act, the time is over or the client
 * aborted. If another thread supersedes it and it has no new messages, waits for that one. The result's ref and
 * `cursor` are the position for the next wait.
 */
export async function waitForAnswer(
  env: ExchangeBindings,
  viewer: Principal,
  target: string,
  { cursor, seconds, first, shared }: WaitOptions,
  mcp: ServerContext,
  log: SendLog,
): Promise<Outcome<ResourceView>> {
  const signal = shared?.signal ?? mcp.mcpReq.signal;
  const progress = shared?.progress ?? createProgressReporter(mcp, seconds);
  // Each read costs the thread a request, so only read if the client wants progress.
  const slice = progress === ignoreProgress ? Infinity : PROGRESS_INTERVAL_MS;
  const until = Date.now() + seconds * 1_000;
  let view = first ? ok(first) : await readThread(env, viewer, target, cursor);
  if (!view.ok) return view;
  const { ref } = view.value.envelope;
  await progress(describeState(view.value));
  let logged = await logState(log, view.value);
  let lastCursor = view.value.cursor;
  for (;;) {
    const left = until - Date.now();
    const other = hasAnswerBlock(view.value, viewer)
      ? undefined
      : await followSuperseded(env, viewer, view.value);
    if (other) {
      const remaining = {
        seconds: Math.max(0, left / 1_000),
        first: other,
        ...defined({ shared }),
      };
      return await waitForAnswer(env, viewer, other.envelope.ref, remaining, mcp, log);
    }
    if (left <= 0 || signal.aborted || hasAnswer(view.value, viewer)) return ok(view.value);
    const next = await waitForChange(env, viewer, ref, lastCursor, Math.min(left, slice), signal);
    if (!next.ok) return next;
    await progress(describeState(next.value));
    logged = await logState(log, next.value, logged);
    lastCursor = next.value.cursor;
    view = ok({ ...next.value, messages: [...view.value.messages, ...next.value.messages] });
  }
}
