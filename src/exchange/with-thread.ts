/** Resolves the target of a sender to a thread (decision 4); a full ref needs no call to the household. */
import { defined } from "../mess/defined.ts";
import { getHouseholdStub, getThreadStub } from "../stubs.ts";
import type { Principal } from "../auth/principal.ts";
import type { RateBindings } from "../auth/rates/request-rate.ts";
import type { Outcome } from "../mess/errors.ts";
import { refuseThreadNotFound } from "../auth/thread-not-found.ts";
import { parseThreadRef, splitTarget } from "../mess/refs.ts";
import type { ResolveOptions } from "../contracts/household-threads.ts";
import type { ThreadRpc } from "../contracts/thread.ts";

export type ExchangeBindings = Pick<
  Env,
  "THREADS" | "GROUPS" | "SOURCES" | "HOUSEHOLDS" | "BLOBS" | "INDEX"
> &
  RateBindings;

export interface ResolvedThread {
  stub: ThreadRpc;
  ref: string;
  /** The message part of the target, if any. */
  message?: string;
}

const MAX_TARGET_CHARS = 260;

/**
 * Runs `work` on the thread that the target names. A full ref is tried first; any other target, or a ref without a
 * thread, is resolved by the household.
 * @param options `key` of the call, so that a retry resolves `last` to the same thread; `isReply`, if the target may
 * be the id of a suggestion
 */
export async function withThread<T>(
  env: ExchangeBindings,
  principal: Principal,
  target: string,
  options: ResolveOptions | undefined,
  work: (thread: ResolvedThread) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  if (target.length > MAX_TARGET_CHARS) return refuseThreadNotFound();
  const { household, actor, role } = principal;
  const runInThread = (found: string) => {
    const { thread, message } = splitTarget(found);
    const stub = getThreadStub(env, household, thread);
    return work({ stub, ref: thread, ...defined({ message }) });
  };
  const direct = parseThreadRef(splitTarget(target).thread) ? await runInThread(target) : undefined;
  if (direct && (direct.ok || direct.error.code !== "not_found")) return direct;
  const resolved = await getHouseholdStub(env, household).threads.resolveTarget(actor, target, {
    ...options,
    role,
  });
  if (!resolved.ok)
    return resolved.error.code === "not_found" && !options?.isReply
      ? refuseThreadNotFound()
      : resolved;
  return direct && resolved.value === target ? direct : await runInThread(resolved.value);
}
