/**
 * Whom a thread is offered to, one rung of the ladder after the other. A rung that has been reached stays reached:
 * whoever was asked once may see and claim the thread from then on. The clock of a rung runs while the thread waits
 * for somebody to take it, and stands still while a candidate's question is open. Whoever is hindered when it is to be
 * told stands behind the others, as long as there are some.
 */
import { rungSeconds } from "../routing/escalation-timeouts.ts";
import type { Candidate } from "../routing/routing.ts";
import { isFinal } from "../status.ts";
import { writeTime } from "../times.ts";
import type { Draft } from "./thread-change.ts";
import type { ThreadNotice } from "./thread-notices.ts";
import { EXCHANGE } from "./policy.ts";
import { type Asked, isUnclaimed, type ThreadState, wasAsked } from "./state.ts";

/** Milliseconds that each rung has. */
export const rungTime = ({ rung_seconds, priority }: ThreadState): number =>
  (rung_seconds ?? rungSeconds(priority)) * 1000;

/** Where the candidate stands now. */
export const rungOf = ({ rung, behind }: Asked): number => behind ?? rung ?? 1;

/** Has not said no, nor just lost it. */
const isHopeful = ({ lost_by }: ThreadState, { id, declined }: Asked): boolean =>
  !declined && id !== lost_by;

const hopefulOn = (state: ThreadState, on: (rung: number) => boolean): Asked[] =>
  state.candidates.filter((one) => on(rungOf(one)) && isHopeful(state, one));

/** Candidates of the reached rungs from whom an answer is still awaited. */
export const awaited = (state: ThreadState): Asked[] =>
  hopefulOn(state, (rung) => rung <= (state.rung ?? 0));

/** Somebody is left on the present rung, or on none above it. */
export const isManned = (state: ThreadState): boolean =>
  hopefulOn(state, (rung) => rung === state.rung).length > 0 ||
  rungAbove(state, state.rung ?? 0) === undefined;

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
    if (state.offered && isUnclaimed(state))
      state.rung_elapsed = Math.max(0, now - state.rung_since);
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
  for (const candidate of state.candidates) delete candidate.behind;
  state.offered =
    state.blocked_by.length === 0 &&
    (state.not_before ?? now) <= now &&
    (state.expires === undefined || state.expires > now);
  if (!state.offered) return;
  const [first] = firstAsked(state, lost_by);
  if (first === undefined) return;
  if (lost_by !== undefined && first.id !== lost_by) state.lost_by = lost_by;
  const until = restsUntil(draft, lost_by);
  if (until === undefined) return reach(draft, rungOf(first), "dispatched", why);
  state.offered = false;
  const time = writeTime(until, state.zone);
  draft.log("deferred", EXCHANGE, undefined, `another attempt from ${time}`);
}

/** Who would be asked first in a new offer: others than who lost it, where there are any. */
function firstAsked({ candidates }: ThreadState, lost_by: string | undefined): Asked[] {
  const willing = candidates.filter(({ declined }) => !declined);
  const others = willing.filter(({ id }) => id !== lost_by);
  const asked = others.length > 0 ? others : willing;
  const first = Math.min(...asked.map(({ rung = 1 }) => rung));
  return asked.filter(({ rung = 1 }) => rung === first);
}

/** Until when nobody is asked, since all who would be asked first have failed already; undefined where somebody is. */
export function restsUntil({ state, now }: Draft, lost_by?: string): number | undefined {
  const { retry_at = now } = state;
  const again = firstAsked(state, lost_by).every(({ failed }) => failed);
  return again && retry_at > now ? retry_at : undefined;
}

/** Puts a member on a rung of its own, before all others (decision 34). */
export function prefer(state: ThreadState, { id, kind, lease }: Candidate): void {
  const others = state.candidates.filter((one) => one.id !== id);
  state.candidates = [
    { id, kind, lease, rung: 1, named: true },
    ...others.map((one) => ({ ...one, rung: (one.rung ?? 1) + 1 })),
  ];
}

/** A candidate that is about to be told of the offer, and what is in the way. */
export interface Hindered {
  id: string;
  /** Why it had better not be asked now, in words. */
  hindered?: string;
  /** It is told only then, in milliseconds since 1970. */
  hold?: { until: number; reason: string };
}

/**
 * Puts those behind the others who had better not be asked now, or would be told when half of the rung's time is over:
 * each once in an offer, and only while others are yet to be asked, so that nobody is left out. Where nobody has
 * been told, and all are told later, but before the thread expires, the rung's time begins then. Told again, it changes
 * nothing.
 */
export function putBehind(draft: Draft, hindered: readonly Hindered[]): void {
  const { state, now } = draft;
  const { rung = 0, rung_since } = state;
  if (rung_since === undefined) return;
  const about = new Map(hindered.map((one) => [one.id, one]));
  const present = hopefulOn(state, (one) => one === rung);
  const isYetToCome = (one: Asked) => rungOf(one) > rung && one.behind === undefined;
  const others =
    present.some(({ id }) => !about.has(id)) ||
    state.candidates.some((one) => isHopeful(state, one) && isYetToCome(one));
  const last = Math.max(...state.candidates.map(rungOf));
  for (const candidate of others ? present : []) {
    const { hindered: why, hold } = about.get(candidate.id) ?? {};
    const late = hold !== undefined && hold.until - now > rungTime(state) / 2;
    if (candidate.behind !== undefined || candidate.named || (why === undefined && !late)) continue;
    candidate.behind = last + 1;
    const words = `${candidate.id}: ${why ?? hold?.reason}; asked after the others`;
    draft.log("passed_over", EXCHANGE, undefined, words);
  }
  const first = Math.min(...awaited(state).map(({ id }) => about.get(id)?.hold?.until ?? 0));
  if (first < (state.expires ?? Infinity)) state.rung_since = Math.max(rung_since, first);
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

/** Once for each time that the thread is offered: from then on they may take it. */
export function tellOwners(draft: Draft, why: string): void {
  draft.state.owner_told = true;
  escalate(draft, why);
}

/** The owners are to know of it. */
export function escalate(draft: Draft, why: string, more: Pick<ThreadNotice, "about"> = {}): void {
  draft.log("escalated", EXCHANGE, undefined, `to the owners: ${why}`);
  draft.tell("alert", [], why, more);
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
