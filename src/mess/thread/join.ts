/** Another thread asks the same as this one and joins it, so that nobody is asked twice (coalescing). */
import type { MessError } from "../errors.ts";
import type { ThreadDraft } from "./thread-change.ts";
import { EXCHANGE } from "./policy.ts";
import { isFinal } from "../status.ts";

export interface Joiner {
  /** Who asked again: it may read this thread from now on, and send followups. */
  actor: string;
  /** Its own thread. */
  ref: string;
}

const MAX_JOINERS = 32;

/**
 * Lets the joiner in; who is in already stays so. A thread that ended takes it only where it was completed, and the
 * answer still holds.
 * @param maxAgeSeconds seconds for which an answer holds
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
  const holds =
    state.status === "completed" &&
    completed !== undefined &&
    maxAgeSeconds > 0 &&
    completed + maxAgeSeconds * 1_000 >= now;
  const isOver = (isFinal(state.status) && !holds) || state.status === "partial";
  if (isOver || joined.length >= MAX_JOINERS)
    return {
      code: isOver ? "thread_finished" : "too_many",
      message: isOver ? `the thread is ${state.status}` : `${MAX_JOINERS} threads have joined it`,
      hint: "Ask anew.",
    };
  state.joined = [...joined, joiner];
  draft.log("merged", EXCHANGE, undefined, `${joiner.ref} asks the same`);
  return undefined;
}
