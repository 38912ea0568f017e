/** Waiting for what an agent must know of: an answer, a question, an end; told on the way of what else happens. */
import type { ServerContext } from "@modelcontextprotocol/server";
import type { Principal } from "../../auth/principal.ts";
import { readThread, waitForChange } from "../../exchange/exchange.ts";
import { followSuperseded } from "../../exchange/follow-superseded.ts";
import type { ExchangeBindings } from "../../exchange/with-thread.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { isFinal, type Status } from "../../mess/status.ts";
import type { ThreadView } from "../../contracts/thread.ts";
import { listOffered } from "./offered-to.ts";
import { isStuck, canReply, listOthersMessages } from "./text/describe-thread.ts";

/** Seconds: clients give up on a call somewhere after 60. */
export const MAX_WAIT_SECONDS = 45;

/** Milliseconds between two signs of life while nothing happens. */
const PROGRESS_INTERVAL_MS = 10_000;

/** Blocks after which it is the agent's turn. */
const ANSWER_TYPES = ["response", "followup", "suggestion"];

const isAgentsTurn = ({ envelope }: ThreadView, viewer: Principal): boolean =>
  isFinal(envelope.status) ||
  envelope.status === "partial" ||
  isStuck(envelope) ||
  (isWaitingForReply(envelope.status) && canReply(envelope, viewer));

const isWaitingForReply = (status: Status): boolean =>
  status === "needs_input" || status === "needs_confirmation";

/** `news` holds the messages since the wait began. */
const hasAnswer = (news: ThreadView, viewer: Principal): boolean =>
  isAgentsTurn(news, viewer) || hasAnswerBlock(news, viewer);

const hasAnswerBlock = (news: ThreadView, viewer: Principal): boolean =>
  listOthersMessages(news, viewer).some(({ MESS }) =>
    MESS.some((item) => ANSWER_TYPES.some((type) => type in item)),
  );

type ReportProgress = (message: string) => Promise<void>;

const ignoreProgress: ReportProgress = async () => undefined;

/** Sends progress where the client asked for it; it rises with the seconds that have passed. */
function createProgressReporter({ mcpReq }: ServerContext, seconds: number): ReportProgress {
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

const describeState = ({ envelope }: ThreadView): string => {
  const { status, executor } = envelope;
  const offered = listOffered(envelope);
  return executor
    ? `${executor}: ${status}`
    : offered === undefined
      ? status
      : `${status}, asked ${offered}`;
};

export interface WaitOptions {
  /** Only what comes after this place counts; without it, an answer that is there already does. */
  cursor?: number | undefined;
  /** 0 to LONGEST_WAIT. */
  seconds: number;
  /** The thread as it was just read from the cursor on, where it was. */
  first?: ThreadView;
}

/**
 * The thread with its messages since `cursor`, as soon as it is the agent's turn, the seconds have passed or the
 * client gave up. Where another goes on in its place and it has nothing to tell itself, that one is waited for. The
 * view's own ref and `cursor` say where to go on.
 */
export async function waitForAnswer(
  env: ExchangeBindings,
  viewer: Principal,
  target: string,
  { cursor, seconds, first }: WaitOptions,
  mcp: ServerContext,
): Promise<Outcome<ThreadView>> {
  const { signal } = mcp.mcpReq;
  const progress = createProgressReporter(mcp, seconds);
  // Each look costs the thread a request, so nobody looks who has nobody to tell.
  const slice = progress === ignoreProgress ? Infinity : PROGRESS_INTERVAL_MS;
  const until = Date.now() + seconds * 1_000;
  let news = first ? ok(first) : await readThread(env, viewer, target, cursor);
  if (!news.ok) return news;
  const { ref } = news.value.envelope;
  await progress(describeState(news.value));
  let lastCursor = news.value.cursor;
  for (;;) {
    const left = until - Date.now();
    const other = hasAnswerBlock(news.value, viewer)
      ? undefined
      : await followSuperseded(env, viewer, news.value);
    if (other) {
      const remaining = { seconds: Math.max(0, left / 1_000), first: other };
      return await waitForAnswer(env, viewer, other.envelope.ref, remaining, mcp);
    }
    if (left <= 0 || signal.aborted || hasAnswer(news.value, viewer)) return ok(news.value);
    const next = await waitForChange(env, viewer, ref, lastCursor, Math.min(left, slice));
    if (!next.ok) return next;
    await progress(describeState(next.value));
    lastCursor = next.value.cursor;
    news = ok({ ...next.value, messages: [...news.value.messages, ...next.value.messages] });
  }
}
