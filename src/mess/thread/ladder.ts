/**
 * Whom a thread is offered to, one rung of the ladder after the other. A rung that has been reached stays reached:
 * whoever was asked once may see and claim the thread from then on. The clock of a rung runs while the thread waits
 * for somebody to take it, and stands still while a candidate's question is open.
 */
import { rungSeconds } from "../ladder.ts";
import type { Candidate } from "../routing.ts";
import { isFinal } from "../status.ts";
import type { Draft } from "./draft.ts";
import { EXCHANGE } from "./policy.ts";
import { type Asked, isUnclaimed, type ThreadState, wasAsked } from "./state.ts";

/** Milliseconds that each rung has. */
export const rungTime = ({ rung_seconds, priority }: ThreadState): number =>
  (rung_seconds ?? rungSeconds(priority)) * 1000;

const rungOf = ({ rung }: Asked): number => rung ?? 1;

/** Has not said no, nor just lost it. */
const isHopeful = ({ lost_by }: ThreadState, { id, declined }: Asked): boolean =>
  !declined && id !== lost_by;

const hopefulOn = (state: ThreadState, on: (rung: number) => boolean): Asked[] =>
  state.candidates.filter((one) => on(rungOf(one)) && isHopeful(state, one));

/** Candidates of the reached rungs from whom an answer is still awaited. */
export const awaited = (state: ThreadState): Asked[] =>
  hopefulOn(state, (rung) => rung <= (state.rung ?? 0));

/** The next rung above `rung` on which there is somebody to ask. */
function rungAbove(state: ThreadState, rung: number): number | undefined {
  const above = hopefulOn(state, (one) => one > rung).map(rungOf);
  return above.length === 0 ? undefined : Math.min(...above);
}

/** The ladder of a state that was stored without one: everybody has been asked at once. */
export function fitLadder(state: ThreadState): void {
  if (state.rung !== undefined || isFinal(state.status)) return;
  for (const candidate of state.candidates) if (wasAsked(state, candidate)) candidate.asked = true;
  state.rung = state.offered ? Math.max(1, ...state.candidates.map(rungOf)) : 0;
}

/** Starts, stops or resumes the clock, as the state now asks for. */
export function keepClock(state: ThreadState, now: number): void {
  const waits =
    state.offered && isUnclaimed(state) && ["pending", "retrying"].includes(state.status);
  if (waits && state.rung_since === undefined) {
    state.rung_since = now - (state.rung_elapsed ?? 0);
    delete state.rung_elapsed;
  } else if (!waits && state.rung_since !== undefined) {
    if (state.offered && isUnclaimed(state)) state.rung_elapsed = now - state.rung_since;
    delete state.rung_since;
  }
}

/** Somebody has taken the thread, or it is put off: the ladder begins anew when it is offered again. */
export function leaveLadder(state: ThreadState): void {
  delete state.rung_since;
  delete state.rung_elapsed;
  delete state.reminded;
  delete state.owner_told;
  delete state.lost_by;
}

/**
 * Offers the thread, beginning at the first rung that has somebody to ask; not before its time nor after, and not
 * while it is blocked.
 * @param lost_by who held it last, and is not asked again while there are others
 * @param why what the candidates are told of it, where they may have known it before
 */
export function offer(draft: Draft, lost_by?: string, why?: string): void {
  const { state, now } = draft;
  leaveLadder(state);
  state.rung = 0;
  state.offered =
    state.blocked_by.length === 0 &&
    (state.not_before ?? now) <= now &&
    (state.expires === undefined || state.expires > now);
  if (!state.offered) return;
  if (lost_by !== undefined) state.lost_by = lost_by;
  if (rungAbove(state, 0) === undefined) delete state.lost_by;
  const rung = rungAbove(state, 0);
  if (rung !== undefined) reach(draft, rung, "dispatched", why);
}

/** Puts a member on a rung of its own, before all others (decision 34). */
export function prefer(state: ThreadState, { id, kind, lease }: Candidate): void {
  const others = state.candidates.filter((one) => one.id !== id);
  state.candidates = [
    { id, kind, lease, rung: 1 },
    ...others.map((one) => ({ ...one, rung: rungOf(one) + 1 })),
  ];
}

/** The present rung's time has passed, or nobody is left on it: the next is asked, and after the last the owners. */
export function climb(draft: Draft): void {
  const { state } = draft;
  const nobody = awaited(state).length === 0;
  const next = rungAbove(state, state.rung ?? 0);
  if (next !== undefined)
    return reach(draft, next, "escalated", nobody ? undefined : "nobody has taken it yet");
  if (nobody && state.lost_by !== undefined) return offer(draft, undefined, "nobody else is left");
  tellOwners(draft, "nobody has taken it");
}

/** Once for each time that the thread is offered. */
export function tellOwners(draft: Draft, why: string): void {
  draft.state.owner_told = true;
  draft.log("escalated", EXCHANGE, undefined, `to the owners: ${why}`);
  draft.tell("alert", [], why);
}

function reach(draft: Draft, rung: number, action: "dispatched" | "escalated", why?: string): void {
  const { state, now } = draft;
  state.rung = rung;
  state.rung_since = now;
  delete state.rung_elapsed;
  delete state.reminded;
  for (const candidate of state.candidates) if (rungOf(candidate) <= rung) candidate.asked = true;
  const asked = hopefulOn(state, (one) => one === rung).map(({ id }) => id);
  draft.log(action, EXCHANGE, undefined, `offered to ${asked.join(", ")}`);
  draft.tell("offer", asked, why);
}
