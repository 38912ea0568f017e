/** Lets a thread with an equal request join this one, so that executors are not asked twice (coalescing). */
import type { MessError } from "../../errors.ts";
import type { ThreadDraft } from "../thread-change.ts";
import { EXCHANGE } from "../policy.ts";
import { isFinal } from "../../status.ts";

export interface Joiner {
  /** The requestor of the joining thread, who may read this thread from now on and send followups. */
  actor: string;
  /** The joining thread. */
  ref: string;
}

const MAX_JOINERS = 32;

/**
 * Adds the joiner; repeating it changes nothing. An ended thread accepts it only where it was completed and its
 * answer is still valid.
 * @param maxAgeSeconds seconds for which an answer is valid
 * @param completed when the thread was completed, in milliseconds
 */
export function addJoiner(
  draft: ThreadDraft,
  joiner: Joiner,
  maxAgeSeconds: number,
  completed: number | undefined,
): MessError | undefined {
  const { state, now } = draft;
  const joined = state.joined ?? [];
  if (joined.some(({ ref }) => ref === joiner.ref)) return undefined;
  const isStillValid =
    state.status === "completed" &&
    completed !== undefined &&
    maxAgeSeconds > 0 &&
    completed + maxAgeSeconds * 1_000 >= now;
  const isOver = (isFinal(state.status) && !isStillValid) || state.status === "partial";
  if (isOver || joined.length >= MAX_JOINERS)
    return {
      code: isOver ? "thread_finished" : "too_many",
      message: isOver ? `the thread is ${state.status}` : `${MAX_JOINERS} threads have joined it`,
      hint: "Create a separate thread.",
    };
  state.joined = [...joined, joiner];
  draft.log("merged", EXCHANGE, undefined, `${joiner.ref} has an equal request and joined`);
  return undefined;
}
