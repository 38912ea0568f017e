/**
 * Lists the tasks of a member, for machines that poll instead of getting webhooks. Reads from the household and the
 * thread objects, so that a delayed index omits no task.
 */
import { getHouseholdStub, getThreadStub } from "../../stubs.ts";
import { isStillLive } from "../../auth/live-credential.ts";
import type { Principal } from "../../auth/principal.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import type { HouseholdThreadsRpc } from "../../contracts/household-threads.ts";
import type { ThreadWithActions } from "../../contracts/thread-views.ts";
import { withWaitSlot } from "../wait-slots.ts";
import { watchHousehold } from "../watch-household.ts";
import type { ExchangeBindings } from "../with-thread.ts";

export interface TaskQuery {
  /** `cursor` of an earlier response: returns only tasks that changed since. */
  after?: number;
  /** Milliseconds to wait while there are no tasks. */
  timeout: number;
  limit: number;
}

export interface MemberTasks {
  threads: ThreadWithActions[];
  cursor: number;
}

type FoundTasks = Awaited<ReturnType<HouseholdThreadsRpc["findTasks"]>>;

/** Returns the caller's tasks as soon as there are any; without a cursor all that are open to it. */
export const findTasks = (
  env: ExchangeBindings,
  principal: Principal,
  query: TaskQuery,
): Promise<Outcome<MemberTasks>> =>
  query.timeout > 0
    ? withWaitSlot(env, principal, () => findTasksInTime(env, principal, query))
    : findTasksInTime(env, principal, query);

async function findTasksInTime(
  env: ExchangeBindings,
  principal: Principal,
  { after, timeout, limit }: TaskQuery,
): Promise<Outcome<MemberTasks>> {
  const query = (): Promise<FoundTasks> =>
    getHouseholdStub(env, principal.household).threads.findTasks(principal.actor, after, limit);
  const immediate = await query();
  const shouldWait = immediate.refs.length === 0 && timeout > 0;
  const found = shouldWait ? await waitForTasks(env, principal, query, timeout) : immediate;
  if (shouldWait && !(await isStillLive(env, principal))) return refuseUnauthenticated();
  const threads = await Promise.all(
    found.refs.map((ref) =>
      getThreadStub(env, principal.household, ref).readWithActions(principal),
    ),
  );
  return ok({
    // A thread that the caller may no longer see went to another executor.
    threads: threads.flatMap((thread) => (thread.ok ? [thread.value] : [])),
    cursor: found.cursor,
  });
}

/** Queries again after every visible change. The listener is added before the first query, so no change is missed. */
async function waitForTasks(
  env: ExchangeBindings,
  principal: Principal,
  query: () => Promise<FoundTasks>,
  timeout: number,
): Promise<FoundTasks> {
  const stop = new AbortController();
  let isOver = false;
  let hasChanged = false;
  let resume: (() => void) | undefined;
  const onChange = () => {
    hasChanged = true;
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
      hasChanged = false;
      const found = await query();
      if (found.refs.length > 0 || isOver) return found;
      if (hasChanged) continue;
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
    }
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}
