import { copyPlain } from "../json.ts";
import { ThreadDraft } from "./thread-change.ts";
import type { ThreadState } from "./state.ts";
import { fireTimers, getNextTimer } from "./timers.ts";

/**
 * Returns the serial that a message gets if it arrives now (decision 11). Due timers fire before it and may use
 * serials for their messages. The given state is not changed.
 * @param now milliseconds since 1970 UTC
 */
export function getNextSerial(state: ThreadState, now: number): number {
  const due = getNextTimer(state);
  if (due === undefined || due > now) return state.serial + 1;
  const draft = new ThreadDraft(copyPlain(state), now);
  fireTimers(draft);
  return draft.state.serial + 1;
}
