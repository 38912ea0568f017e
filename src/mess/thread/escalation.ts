/**
 * Offers a thread to its candidates, one escalation step after the other. A candidate that was offered the thread
 * may see and claim it from then on. The clock of a step runs while the thread is unclaimed, and stops while a
 * candidate's question is open. Candidates that are unavailable at their offer are moved behind the others.
 */
import { getStepSeconds } from "../routing/escalation-timeouts.ts";
import type { Candidate } from "../routing/routing.ts";
import { isFinal } from "../status.ts";
import { writeTime } from "../times.ts";
import type { ThreadDraft } from "./thread-change.ts";
import type { ThreadNotice } from "./thread-notices.ts";
import { EXCHANGE } from "./policy.ts";
import { type CandidateState, isUnclaimed, type ThreadState, wasOffered } from "./state.ts";

/** Returns the milliseconds of each step. */
export const getStepTimeoutMs = ({ rung_seconds, priority }: ThreadState): number =>
  (rung_seconds ?? getStepSeconds(priority)) * 1000;

/** Returns the current step of the candidate. */
export const getStep = ({ rung: step, behind: laterStep }: CandidateState): number =>
  laterStep ?? step ?? 1;

/** True unless the candidate has declined or just lost the thread. */
const canAccept = ({ lost_by }: ThreadState, { id, declined }: CandidateState): boolean =>
  !declined && id !== lost_by;

const listPendingOn = (state: ThreadState, isOnStep: (step: number) => boolean): CandidateState[] =>
  state.candidates.filter((one) => isOnStep(getStep(one)) && canAccept(state, one));

/** Lists the candidates of the reached steps that may still claim the thread. */
export const listAwaited = (state: ThreadState): CandidateState[] =>
  listPendingOn(state, (step) => step <= (state.rung ?? 0));

/** True where a candidate is left on the current step, or none on later steps. */
export const hasPendingOnStep = (state: ThreadState): boolean =>
  listPendingOn(state, (step) => step === state.rung).length > 0 ||
  findNextStep(state, state.rung ?? 0) === undefined;

/** Returns the next step after `step` with a candidate who can accept. */
function findNextStep(state: ThreadState, step: number): number | undefined {
  const steps = listPendingOn(state, (one) => one > step).map(getStep);
  return steps.length === 0 ? undefined : Math.min(...steps);
}

/** Adds steps to a state stored by a version without them, where all candidates were offered the thread at once. */
export function initializeSteps(state: ThreadState): void {
  if (state.rung !== undefined || isFinal(state.status)) return;
  for (const candidate of state.candidates)
    if (wasOffered(state, candidate)) candidate.asked = true;
  state.rung = state.offered ? Math.max(1, ...state.candidates.map(getStep)) : 0;
}

/** Starts, stops or resumes the clock of the step according to the state. */
export function updateStepClock(state: ThreadState, now: number): void {
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

/** Resets the escalation after a claim or a deferral; the next offer starts again from the first step. */
export function resetEscalation(state: ThreadState): void {
  delete state.rung_since;
  delete state.rung_elapsed;
  delete state.reminded;
  delete state.owner_told;
  delete state.lost_by;
}

/**
 * Offers the thread to the first step with an eligible candidate, unless it is blocked, deferred or expired.
 * @param lost_by the last holder, who is offered the thread again only after the others
 * @param reason text for candidates who may know the thread from an earlier offer
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
  if (until === undefined) return offerToStep(draft, getStep(first), "dispatched", reason);
  state.offered = false;
  const time = writeTime(until, state.zone);
  draft.log("deferred", EXCHANGE, undefined, `another attempt from ${time}`);
}

/** Lists the candidates of the first step of a new offer, without the last holder where there are others. */
function listFirstOffered(
  { candidates }: ThreadState,
  lost_by: string | undefined,
): CandidateState[] {
  const willing = candidates.filter(({ declined }) => !declined);
  const others = willing.filter(({ id }) => id !== lost_by);
  const offered = others.length > 0 ? others : willing;
  const first = Math.min(...offered.map(({ rung: step = 1 }) => step));
  return offered.filter(({ rung: step = 1 }) => step === first);
}

/** Returns the end of the retry delay, where all candidates of the first step have failed; else undefined. */
export function getRetryPauseEnd(
  { state, now }: ThreadDraft,
  lost_by?: string,
): number | undefined {
  const { retry_at = now } = state;
  const haveAllFailed = listFirstOffered(state, lost_by).every(({ failed }) => failed);
  return haveAllFailed && retry_at > now ? retry_at : undefined;
}

/** Puts a member on a separate step before all others (decision 34). */
export function preferCandidate(state: ThreadState, { id, kind, lease }: Candidate): void {
  const others = state.candidates.filter((one) => one.id !== id);
  state.candidates = [
    { id, kind, lease, rung: 1, named: true },
    ...others.map((one) => ({ ...one, rung: (one.rung ?? 1) + 1 })),
  ];
}

/** A candidate that is unavailable at the time of its offer. */
export interface UnavailableCandidate {
  id: string;
  /** Text that says why it should not be offered the thread now. */
  reason?: string;
  /** Its notice is delayed until this instant, in milliseconds since 1970. */
  delay?: { until: number; reason: string };
}

/**
 * Moves candidates of the current step behind the others where they are unavailable or would be notified after half
 * of the step's time: each once in an offer, and only while other candidates remain, so that nobody is excluded.
 * Where all notices are delayed, but not past expiry, the step's time starts with the first. Idempotent.
 */
export function deprioritize(
  draft: ThreadDraft,
  unavailable: readonly UnavailableCandidate[],
): void {
  const { state, now } = draft;
  const { rung: step = 0, rung_since } = state;
  if (rung_since === undefined) return;
  const about = new Map(unavailable.map((one) => [one.id, one]));
  const present = listPendingOn(state, (one) => one === step);
  const isOnLaterStep = (one: CandidateState) => getStep(one) > step && one.behind === undefined;
  const others =
    present.some(({ id }) => !about.has(id)) ||
    state.candidates.some((one) => canAccept(state, one) && isOnLaterStep(one));
  const last = Math.max(...state.candidates.map(getStep));
  for (const candidate of others ? present : []) {
    const { reason, delay } = about.get(candidate.id) ?? {};
    const late = delay !== undefined && delay.until - now > getStepTimeoutMs(state) / 2;
    if (candidate.behind !== undefined || candidate.named || (reason === undefined && !late))
      continue;
    candidate.behind = last + 1;
    const note = `${candidate.id}: ${reason ?? delay?.reason}; moved behind the others`;
    draft.log("passed_over", EXCHANGE, undefined, note);
  }
  const first = Math.min(...listAwaited(state).map(({ id }) => about.get(id)?.delay?.until ?? 0));
  if (first < (state.expires ?? Infinity)) state.rung_since = Math.max(rung_since, first);
}

/** Starts the time of the step now, where it was to start with the end of a wait that ended early. */
export function startTierClock({ state, now }: ThreadDraft): void {
  if (state.rung_since !== undefined && state.rung_since > now) state.rung_since = now;
}

/** Offers the thread to the next step, or alerts the owners after the last step. */
export function escalateToNextStep(draft: ThreadDraft): void {
  const { state } = draft;
  const isEmpty = listAwaited(state).length === 0;
  const next = findNextStep(state, state.rung ?? 0);
  if (next !== undefined)
    return offerToStep(draft, next, "escalated", isEmpty ? undefined : "nobody has taken it yet");
  if (isEmpty && state.lost_by !== undefined)
    return offerThread(draft, undefined, "no other candidate is left");
  alertOwnersOnce(draft, "nobody has taken it");
}

/** Alerts the owners once in each offer; from then on they may claim the thread. */
export function alertOwnersOnce(draft: ThreadDraft, reason: string): void {
  draft.state.owner_told = true;
  alertOwners(draft, reason);
}

/** Logs the escalation and sends a notice to the owners. */
export function alertOwners(
  draft: ThreadDraft,
  reason: string,
  more: Pick<ThreadNotice, "about"> = {},
): void {
  draft.log("escalated", EXCHANGE, undefined, `to the owners: ${reason}`);
  draft.notify("alert", [], reason, more);
}

function offerToStep(
  draft: ThreadDraft,
  step: number,
  action: "dispatched" | "escalated",
  reason?: string,
): void {
  const { state, now } = draft;
  state.rung = step;
  state.rung_since = now;
  delete state.rung_elapsed;
  delete state.reminded;
  for (const candidate of state.candidates) if (getStep(candidate) <= step) candidate.asked = true;
  const offered = listPendingOn(state, (one) => one === step).map(({ id }) => id);
  draft.log(action, EXCHANGE, undefined, `offered to ${offered.join(", ")}`);
  draft.notify("offer", offered, reason);
}
