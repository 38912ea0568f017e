/**
 * What a member has to do, for machines that ask rather than being called. It comes from the household and from the
 * threads themselves, so that an index that is behind loses none.
 */
import { householdStub, threadStub } from "../stubs.ts";
import { isStillLive } from "../auth/live-credential.ts";
import type { Principal } from "../auth/principal.ts";
import { refuseUnauthenticated } from "../auth/unauthenticated.ts";
import type { Outcome } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import type { ThreadWithActions } from "../contracts/thread.ts";
import { watchHousehold } from "./watch-household.ts";
import type { ExchangeBindings } from "./with-thread.ts";

export interface TaskQuery {
  /** `cursor` of an earlier answer: only what has changed since. */
  after?: number;
  /** Milliseconds to wait while there is nothing. */
  timeout: number;
  limit: number;
}

export interface MemberTasks {
  threads: ThreadWithActions[];
  cursor: number;
}

type FoundTasks = Awaited<ReturnType<ReturnType<typeof householdStub>["findTasks"]>>;

/** The caller's tasks, as soon as there are any. Without a cursor those that are open to it. */
export async function findTasks(
  env: ExchangeBindings,
  principal: Principal,
  { after, timeout, limit }: TaskQuery,
): Promise<Outcome<MemberTasks>> {
  const query = (): Promise<FoundTasks> =>
    householdStub(env, principal.household).findTasks(principal.actor, after, limit);
  const immediate = await query();
  const waits = immediate.refs.length === 0 && timeout > 0;
  const found = waits ? await waitForTasks(env, principal, query, timeout) : immediate;
  if (waits && !(await isStillLive(env, principal))) return refuseUnauthenticated();
  const threads = await Promise.all(
    found.refs.map((ref) => threadStub(env, principal.household, ref).readWithActions(principal)),
  );
  return ok({
    // What the caller may see no more has gone to somebody else.
    threads: threads.flatMap((thread) => (thread.ok ? [thread.value] : [])),
    cursor: found.cursor,
  });
}

/** Asks again at every change that the caller may see. The listener is there before the first question: none is lost. */
async function waitForTasks(
  env: ExchangeBindings,
  principal: Principal,
  query: () => Promise<FoundTasks>,
  timeout: number,
): Promise<FoundTasks> {
  const stop = new AbortController();
  let isOver = false;
  let news = false;
  let resume: (() => void) | undefined;
  const onChange = () => {
    news = true;
    resume?.();
  };
  const end = () => {
    isOver = true;
    resume?.();
  };
  const timer = setTimeout(end, timeout);
  try {
    await watchHousehold(env, principal, onChange, end, stop.signal);
    for (;;) {
      news = false;
      const found = await query();
      if (found.refs.length > 0 || isOver) return found;
      if (news) continue;
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
    }
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}
