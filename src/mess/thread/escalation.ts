/**
 * Whom a thread is offered to, one rung of the ladder after the other. A rung that has been reached stays reached:
 * whoever was asked once may see and claim the thread from then on. The clock of a rung runs while the thread waits
 * for somebody to take it, and stands still while a candidate's question is open. Whoever is hindered when it is to be
 * told stands behind the others, as long as there are some.
 */
import { getTierSeconds } from "../routing/escalation-timeouts.ts";
import type { Candidate } from "../routing/routing.ts";
import { isFinal } from "../status.ts";
import { writeTime } from "../times.ts";
import type { ThreadDraft } from "./thread-change.ts";
import type { ThreadNotice } from "./thread-notices.ts";
import { EXCHANGE } from "./policy.ts";
import { type CandidateState, isUnclaimed, type ThreadState, wasOffered } from "./state.ts";

/** Milliseconds that each rung has. */
export const getTierTimeoutMs = ({ rung_seconds, priority }: ThreadState): number =>
  (rung_seconds ?? getTierSeconds(priority)) * 1000;

/** Where the candidate stands now. */
export const getTier = ({ rung: tier, behind: laterTier }: CandidateState): number =>
  laterTier ?? tier ?? 1;

/** Has not said no, nor just lost it. */
const canAccept = ({ lost_by }: ThreadState, { id, declined }: CandidateState): boolean =>
  !declined && id !== lost_by;

const listPendingOn = (state: ThreadState, isOnTier: (tier: number) => boolean): CandidateState[] =>
  state.candidates.filter((one) => isOnTier(getTier(one)) && canAccept(state, one));

/** Candidates of the reached rungs from whom an answer is still awaited. */
export const listAwaited = (state: ThreadState): CandidateState[] =>
  listPendingOn(state, (tier) => tier <= (state.rung ?? 0));

/** Somebody is left on the present rung, or on none above it. */
export const hasPendingOnTier = (state: ThreadState): boolean =>
  listPendingOn(state, (tier) => tier === state.rung).length > 0 ||
  findNextTier(state, state.rung ?? 0) === undefined;

/** The next rung above `tier` on which there is somebody to ask. */
function findNextTier(state: ThreadState, tier: number): number | undefined {
  const tiers = listPendingOn(state, (one) => one > tier).map(getTier);
  return tiers.length === 0 ? undefined : Math.min(...tiers);
}

/** The ladder of a state that was stored without one: everybody has been asked at once. */
export function initializeTiers(state: ThreadState): void {
  if (state.rung !== undefined || isFinal(state.status)) return;
  for (const candidate of state.candidates)
    if (wasOffered(state, candidate)) candidate.asked = true;
  state.rung = state.offered ? Math.max(1, ...state.candidates.map(getTier)) : 0;
}

/** Starts, stops or resumes the clock, as the state now asks for. */
export function updateTierClock(state: ThreadState, now: number): void {
  const isWaiting =
    state.offered && isUnclaimed(state) && ["pending", "retrying"].includes(state.status);
  if (isWaiting && state.rung_since === undefined) {
    state.rung_since = now - (state.rung_elapsed ?? 0);
    delete state.rung_elapsed;
  } else if (!isWaiting && state.rung_since !== undefined) {
    if (state.offered && isUnclaimed(state))
      state.rung_elapsed = Math.max(0, now - state.rung_since);
    delete state.rung_since;
  }
}

/** Somebody has taken the thread, or it is put off: the ladder begins anew when it is offered again. */
export function resetEscalation(state: ThreadState): void {
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
 * @param reason what the candidates are told of it, where they may have known it before
 */
export function offerThread(draft: ThreadDraft, lost_by?: string, reason?: string): void {
  const { state, now } = draft;
  resetEscalation(state);
  state.rung = 0;
  for (const candidate of state.candidates) delete candidate.behind;
  state.offered =
    state.blocked_by.length === 0 &&
    (state.not_before ?? now) <= now &&
    (state.expires === undefined || state.expires > now);
  if (!state.offered) return;
  const [first] = listFirstOffered(state, lost_by);
  if (first === undefined) return;
  if (lost_by !== undefined && first.id !== lost_by) state.lost_by = lost_by;
  const until = getRetryPauseEnd(draft, lost_by);
  if (until === undefined) return offerToTier(draft, getTier(first), "dispatched", reason);
  state.offered = false;
  const time = writeTime(until, state.zone);
  draft.log("deferred", EXCHANGE, undefined, `another attempt from ${time}`);
}

/** Who would be asked first in a new offer: others than who lost it, where there are any. */
function listFirstOffered(
  { candidates }: ThreadState,
  lost_by: string | undefined,
): CandidateState[] {
  const willing = candidates.filter(({ declined }) => !declined);
  const others = willing.filter(({ id }) => id !== lost_by);
  const offered = others.length > 0 ? others : willing;
  const first = Math.min(...offered.map(({ rung: tier = 1 }) => tier));
  return offered.filter(({ rung: tier = 1 }) => tier === first);
}

/** Until when nobody is asked, since all who would be asked first have failed already; undefined where somebody is. */
export function getRetryPauseEnd(
  { state, now }: ThreadDraft,
  lost_by?: string,
): number | undefined {
  const { retry_at = now } = state;
  const haveAllFailed = listFirstOffered(state, lost_by).every(({ failed }) => failed);
  return haveAllFailed && retry_at > now ? retry_at : undefined;
}

/** Puts a member on a rung of its own, before all others (decision 34). */
export function preferCandidate(state: ThreadState, { id, kind, lease }: Candidate): void {
  const others = state.candidates.filter((one) => one.id !== id);
  state.candidates = [
    { id, kind, lease, rung: 1, named: true },
    ...others.map((one) => ({ ...one, rung: (one.rung ?? 1) + 1 })),
  ];
}

/** A candidate that is about to be told of the offer, and what is in the way. */
export interface UnavailableCandidate {
  id: string;
  /** Why it had better not be asked now, in words. */
  reason?: string;
  /** It is told only then, in milliseconds since 1970. */
  hold?: { until: number; reason: string };
}

/**
 * Puts those behind the others who had better not be asked now, or would be told when half of the rung's time is over:
 * each once in an offer, and only while others are yet to be asked, so that nobody is left out. Where nobody has
 * been told, and all are told later, but before the thread expires, the rung's time begins then. Told again, it changes
 * nothing.
 */
export function deprioritize(
  draft: ThreadDraft,
  unavailable: readonly UnavailableCandidate[],
): void {
  const { state, now } = draft;
  const { rung: tier = 0, rung_since } = state;
  if (rung_since === undefined) return;
  const about = new Map(unavailable.map((one) => [one.id, one]));
  const present = listPendingOn(state, (one) => one === tier);
  const isYetToCome = (one: CandidateState) => getTier(one) > tier && one.behind === undefined;
  const others =
    present.some(({ id }) => !about.has(id)) ||
    state.candidates.some((one) => canAccept(state, one) && isYetToCome(one));
  const last = Math.max(...state.candidates.map(getTier));
  for (const candidate of others ? present : []) {
    const { reason, hold } = about.get(candidate.id) ?? {};
    const late = hold !== undefined && hold.until - now > getTierTimeoutMs(state) / 2;
    if (candidate.behind !== undefined || candidate.named || (reason === undefined && !late))
      continue;
    candidate.behind = last + 1;
    const note = `${candidate.id}: ${reason ?? hold?.reason}; asked after the others`;
    draft.log("passed_over", EXCHANGE, undefined, note);
  }
  const first = Math.min(...listAwaited(state).map(({ id }) => about.get(id)?.hold?.until ?? 0));
  if (first < (state.expires ?? Infinity)) state.rung_since = Math.max(rung_since, first);
}

/** The present rung's time has passed, or nobody is left on it: the next is asked, and after the last the owners. */
export function escalateToNextTier(draft: ThreadDraft): void {
  const { state } = draft;
  const isEmpty = listAwaited(state).length === 0;
  const next = findNextTier(state, state.rung ?? 0);
  if (next !== undefined)
    return offerToTier(draft, next, "escalated", isEmpty ? undefined : "nobody has taken it yet");
  if (isEmpty && state.lost_by !== undefined)
    return offerThread(draft, undefined, "nobody else is left");
  alertOwnersOnce(draft, "nobody has taken it");
}

/** Once for each time that the thread is offered: from then on they may take it. */
export function alertOwnersOnce(draft: ThreadDraft, reason: string): void {
  draft.state.owner_told = true;
  alertOwners(draft, reason);
}

/** The owners are to know of it. */
export function alertOwners(
  draft: ThreadDraft,
  reason: string,
  more: Pick<ThreadNotice, "about"> = {},
): void {
  draft.log("escalated", EXCHANGE, undefined, `to the owners: ${reason}`);
  draft.notify("alert", [], reason, more);
}

function offerToTier(
  draft: ThreadDraft,
  tier: number,
  action: "dispatched" | "escalated",
  reason?: string,
): void {
  const { state, now } = draft;
  state.rung = tier;
  state.rung_since = now;
  delete state.rung_elapsed;
  delete state.reminded;
  for (const candidate of state.candidates) if (getTier(candidate) <= tier) candidate.asked = true;
  const offered = listPendingOn(state, (one) => one === tier).map(({ id }) => id);
  draft.log(action, EXCHANGE, undefined, `offered to ${offered.join(", ")}`);
  draft.notify("offer", offered, reason);
}
