/** Waiting for what an agent must know of: an answer, a question, an end; told on the way of what else happens. */
import type { ServerContext } from "@modelcontextprotocol/server";
import type { Principal } from "../../auth/principal.ts";
import { read, wait } from "../../exchange/exchange.ts";
import { goingOn } from "../../exchange/follow-superseded.ts";
import type { Stores } from "../../exchange/with-thread.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { isFinal, type Status } from "../../mess/status.ts";
import type { ThreadView } from "../../contracts/thread.ts";
import { askedOf } from "./offered-to.ts";
import { isStuck, mayReply, othersMessages } from "./text/describe-thread.ts";

/** Seconds: clients give up on a call somewhere after 60. */
export const LONGEST_WAIT = 45;

/** Milliseconds between two signs of life while nothing happens. */
const SIGN_OF_LIFE = 10_000;

/** Blocks after which it is the agent's turn. */
const TELLING = ["response", "followup", "suggestion"];

const isAgentsTurn = ({ envelope }: ThreadView, viewer: Principal): boolean =>
  isFinal(envelope.status) ||
  envelope.status === "partial" ||
  isStuck(envelope) ||
  (isAsked(envelope.status) && mayReply(envelope, viewer));

const isAsked = (status: Status): boolean =>
  status === "needs_input" || status === "needs_confirmation";

/** `news` holds the messages since the wait began. */
const isAnswer = (news: ThreadView, viewer: Principal): boolean =>
  isAgentsTurn(news, viewer) || tells(news, viewer);

const tells = (news: ThreadView, viewer: Principal): boolean =>
  othersMessages(news, viewer).some(({ MESS }) =>
    MESS.some((item) => TELLING.some((type) => type in item)),
  );

type Progress = (message: string) => Promise<void>;

const silent: Progress = async () => undefined;

/** Sends progress where the client asked for it; it rises with the seconds that have passed. */
function progressOf({ mcpReq }: ServerContext, seconds: number): Progress {
  const { _meta: { progressToken } = {} } = mcpReq;
  if (progressToken === undefined) return silent;
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

const stateOf = ({ envelope }: ThreadView): string => {
  const { status, executor } = envelope;
  const asked = askedOf(envelope);
  return executor
    ? `${executor}: ${status}`
    : asked === undefined
      ? status
      : `${status}, asked ${asked}`;
};

export interface Wait {
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
  env: Stores,
  viewer: Principal,
  target: string,
  { cursor, seconds, first }: Wait,
  mcp: ServerContext,
): Promise<Outcome<ThreadView>> {
  const { signal } = mcp.mcpReq;
  const progress = progressOf(mcp, seconds);
  // Each look costs the thread a request, so nobody looks who has nobody to tell.
  const slice = progress === silent ? Infinity : SIGN_OF_LIFE;
  const until = Date.now() + seconds * 1_000;
  let news = first ? ok(first) : await read(env, viewer, target, cursor);
  if (!news.ok) return news;
  const { ref } = news.value.envelope;
  await progress(stateOf(news.value));
  let seen = news.value.cursor;
  for (;;) {
    const left = until - Date.now();
    const other = tells(news.value, viewer) ? undefined : await goingOn(env, viewer, news.value);
    if (other) {
      const rest = { seconds: Math.max(0, left / 1_000), first: other };
      return await waitForAnswer(env, viewer, other.envelope.ref, rest, mcp);
    }
    if (left <= 0 || signal.aborted || isAnswer(news.value, viewer)) return ok(news.value);
    const next = await wait(env, viewer, ref, seen, Math.min(left, slice));
    if (!next.ok) return next;
    await progress(stateOf(next.value));
    seen = next.value.cursor;
    news = ok({ ...next.value, messages: [...news.value.messages, ...next.value.messages] });
  }
}
