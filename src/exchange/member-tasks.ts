/**
 * What a member has to do, for machines that ask rather than being called. It comes from the household and from the
 * threads themselves, so that an index that is behind loses none.
 */
import { householdStub, threadStub } from "../stubs.ts";
import type { Principal } from "../auth/principal.ts";
import type { ThreadSight } from "../contracts/thread.ts";
import { listen } from "./watch-household.ts";
import type { Stores } from "./with-thread.ts";

export interface TaskQuery {
  /** `cursor` of an earlier answer: only what has changed since. */
  after?: number;
  /** Milliseconds to wait while there is nothing. */
  timeout: number;
  limit: number;
}

export interface Tasks {
  threads: ThreadSight[];
  cursor: number;
}

type Found = Awaited<ReturnType<ReturnType<typeof householdStub>["tasks"]>>;

/** The caller's tasks, as soon as there are any. Without a cursor those that are open to it. */
export async function tasksFor(
  env: Stores,
  principal: Principal,
  { after, timeout, limit }: TaskQuery,
): Promise<Tasks> {
  const ask = (): Promise<Found> =>
    householdStub(env, principal.household).tasks(principal.actor, after, limit);
  const at_once = await ask();
  const found =
    at_once.refs.length > 0 || timeout === 0
      ? at_once
      : await askUntilFound(env, principal, ask, timeout);
  const sights = await Promise.all(
    found.refs.map((ref) => threadStub(env, principal.household, ref).sight(principal)),
  );
  return {
    // What the caller may see no more has gone to somebody else.
    threads: sights.flatMap((sight) => (sight.ok ? [sight.value] : [])),
    cursor: found.cursor,
  };
}

/** Asks again at every change that the caller may see. The listener is there before the first question: none is lost. */
async function askUntilFound(
  env: Stores,
  principal: Principal,
  ask: () => Promise<Found>,
  timeout: number,
): Promise<Found> {
  const stop = new AbortController();
  let over = false;
  let news = false;
  let wake: (() => void) | undefined;
  const tell = () => {
    news = true;
    wake?.();
  };
  const end = () => {
    over = true;
    wake?.();
  };
  const timer = setTimeout(end, timeout);
  try {
    await listen(env, principal, tell, end, stop.signal);
    for (;;) {
      news = false;
      const found = await ask();
      if (found.refs.length > 0 || over) return found;
      if (news) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}
