/** Finding the thread that a sender means (decision 4), without touching the household where the ref says it all. */
import { householdStub, threadStub } from "../stubs.ts";
import type { Principal } from "../auth/principal.ts";
import type { Outcome } from "../mess/errors.ts";
import { refuseThreadNotFound } from "../auth/thread-not-found.ts";
import { parseThreadRef, splitTarget } from "../mess/refs.ts";
import type { ThreadRpc } from "../contracts/thread.ts";

export type ExchangeBindings = Pick<Env, "THREADS" | "HOUSEHOLDS" | "BLOBS" | "INDEX">;

export interface ResolvedThread {
  stub: ThreadRpc;
  ref: string;
  /** The message part of the target, where it named one. */
  message?: string;
}

const MAX_TARGET_CHARS = 260;

/**
 * Runs `work` on the thread that the target names. A target in the form of our refs is tried as it stands; any
 * other, or one that no thread answers to, is looked up in the household.
 * @param key the call's `Idempotency-Key`: a retry reaches the same thread even where `last` has moved on.
 */
export async function withThread<T>(
  env: ExchangeBindings,
  principal: Principal,
  target: string,
  key: string | undefined,
  work: (thread: ResolvedThread) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  if (target.length > MAX_TARGET_CHARS) return refuseThreadNotFound();
  const { household, actor } = principal;
  const go = (found: string) => {
    const { thread, message } = splitTarget(found);
    const stub = threadStub(env, household, thread);
    return work({ stub, ref: thread, ...(message === undefined ? {} : { message }) });
  };
  const direct = parseThreadRef(splitTarget(target).thread) ? await go(target) : undefined;
  if (direct && (direct.ok || direct.error.code !== "not_found")) return direct;
  const resolved = await householdStub(env, household).resolveTarget(actor, target, key);
  if (!resolved.ok) return resolved.error.code === "not_found" ? refuseThreadNotFound() : resolved;
  return direct && resolved.value === target ? direct : await go(resolved.value);
}
