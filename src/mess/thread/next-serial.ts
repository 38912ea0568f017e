import { ThreadDraft } from "./thread-change.ts";
import type { ThreadState } from "./state.ts";
import { fireTimers, getNextTimer } from "./timers.ts";

/**
 * The serial that a message gets which comes now (decision 11): what time has changed since is said before it, and
 * takes serials of its own.
 * @param now milliseconds since 1970 UTC. The given state is not changed.
 */
export function getNextSerial(state: ThreadState, now: number): number {
  const due = getNextTimer(state);
  if (due === undefined || due > now) return state.serial + 1;
  const draft = new ThreadDraft(structuredClone(state), now);
  fireTimers(draft);
  return draft.state.serial + 1;
}
