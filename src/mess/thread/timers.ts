/**
 * Timers of a thread: deferred offers, reminders, the next escalation step, expiry, the end of a lease, completion
 * after a response. Timers are not stored but computed from the state, so that none can be lost or left over.
 */
import { isFinal } from "../status.ts";
import { getHolder, releaseHolder } from "./claims.ts";
import type { ThreadDraft } from "./thread-change.ts";
import {
  listAwaited,
  escalateToNextStep,
  initializeSteps,
  hasPendingOnStep,
  updateStepClock,
  offerThread,
  getStepTimeoutMs,
  alertOwnersOnce,
} from "./escalation.ts";
import { EXCHANGE } from "./policy.ts";
import { isUnclaimed, type ThreadState } from "./state.ts";
import { EXCHANGE_TRANSITIONS } from "./transitions.ts";
import {
  alertUnanswered,
  getOwnerAlertTime,
  updatePendingAnswer,
  remindRequestor,
  getRequestorReminderTime,
} from "./pending-answers.ts";

/** In the order in which they fire when several are due at the same instant. */
type Timer =
  | "expire"
  | "offer"
  | "noCandidates"
  | "remind"
  | "nextStep"
  | "complete"
  | "remindHolder"
  | "remindRequestor"
  | "alertUnanswered"
  | "release";

/** Timers that make offers. They do not fire when the thread has expired before a late alarm runs. */
const OFFER_TIMERS: readonly Timer[] = ["offer", "noCandidates", "remind", "nextStep"];

/** Repeated reminders end after this number of step timeouts. */
const MAX_REMINDERS = 30;

/** Lists the timers that run in this state, with their instants. */
function listTimers(state: ThreadState): [Timer, number][] {
  if (isFinal(state.status)) return [];
  const allowedStatuses = EXCHANGE_TRANSITIONS[state.status];
  const timers: [Timer, number | undefined, boolean][] = [
    ["expire", state.expires, allowedStatuses.includes("expired") && canExpire(state)],
    ["offer", getOfferTime(state), true],
    ["noCandidates", state.created, state.status === "pending" && hasNoCandidates(state)],
    ["remind", getReminderTime(state), true],
    ["nextStep", getNextStepTime(state), true],
    ["complete", state.completes_at, allowedStatuses.includes("completed")],
    ["remindHolder", getHolderReminderTime(state), true],
    ["remindRequestor", getRequestorReminderTime(state), true],
    ["alertUnanswered", getOwnerAlertTime(state), true],
    ["release", state.lease_ends, allowedStatuses.includes("pending")],
  ];
  return timers.flatMap(([timer, due, allowed]): [Timer, number][] =>
    due !== undefined && allowed ? [[timer, due]] : [],
  );
}

/** Only unclaimed, waiting and held threads expire, never work in progress (decision 33). */
const canExpire = (state: ThreadState): boolean =>
  isUnclaimed(state) || state.status === "waiting" || state.status === "held";

function getOfferTime(state: ThreadState): number | undefined {
  if (state.offered || state.blocked_by.length > 0 || state.candidates.length === 0)
    return undefined;
  // A deferred thread may have been claimed early and have failed since.
  const isOpen = ["pending", "retrying"].includes(state.status) && state.executor === null;
  const { created, not_before = created, retry_at = created } = state;
  return isOpen ? Math.max(not_before, retry_at) : undefined;
}

/** True where the thread has no candidates and the owners were not alerted yet. */
const hasNoCandidates = ({ candidates, executor, owner_told }: ThreadState): boolean =>
  candidates.length === 0 && executor === null && !owner_told;

/** Reminds at half of the step's time; urgent threads again after each further step timeout until they are claimed. */
function getReminderTime(state: ThreadState): number | undefined {
  const { rung_since, reminded = 0, priority } = state;
  const maxReminders = priority === "urgent" ? MAX_REMINDERS : 1;
  if (rung_since === undefined || reminded >= maxReminders || listAwaited(state).length === 0)
    return undefined;
  return rung_since + getStepTimeoutMs(state) / 2 + reminded * getStepTimeoutMs(state);
}

/** Escalates at the end of the step's time, or at once where the step has no candidate left. */
function getNextStepTime(state: ThreadState): number | undefined {
  const { rung_since, owner_told } = state;
  if (rung_since === undefined || owner_told || state.candidates.length === 0) return undefined;
  const isWaiting = listAwaited(state).length > 0 && hasPendingOnStep(state);
  return isWaiting ? rung_since + getStepTimeoutMs(state) : state.created;
}

/** Reminds a holder who is a person after three quarters of the lease. */
function getHolderReminderTime(state: ThreadState): number | undefined {
  if (state.lease_ends === undefined || state.lease_reminded) return undefined;
  const { kind, lease } = getHolder(state);
  return kind === "person" ? state.lease_ends - lease * 250 : undefined;
}

/** Returns the instant of the next timer, or undefined. */
export const getNextTimer = (state: ThreadState): number | undefined =>
  listTimers(state)
    .map(([, due]) => due)
    .toSorted((a, b) => a - b)[0];

/** Fires the timers that are due at the draft's `now`, earliest first. */
export function fireTimers(draft: ThreadDraft): void {
  const { state, now } = draft;
  initializeSteps(state);
  for (;;) {
    updateStepClock(state, now);
    updatePendingAnswer(state, now);
    const due = listTimers(state).filter(([, instant]) => instant <= now);
    const expired = due.some(([timer]) => timer === "expire");
    const [first] = due
      .filter(([timer]) => !expired || !OFFER_TIMERS.includes(timer))
      .toSorted(([, a], [, b]) => a - b);
    if (!first) return;
    TIMER_ACTIONS[first[0]](draft);
  }
}

const TIMER_ACTIONS: Readonly<Record<Timer, (draft: ThreadDraft) => void>> = {
  offer(draft) {
    const { lost_by, status } = draft.state;
    offerThread(draft, lost_by, status === "retrying" ? "another attempt" : undefined);
  },
  noCandidates(draft) {
    alertOwnersOnce(draft, "no executor can do it");
  },
  remind(draft) {
    const { state, now } = draft;
    const to = listAwaited(state).map(({ id }) => id);
    const since = now - (state.rung_since ?? now) - getStepTimeoutMs(state) / 2;
    // A late alarm sends one reminder for all that were due.
    state.reminded = Math.min(MAX_REMINDERS, Math.floor(since / getStepTimeoutMs(state)) + 1);
    draft.log("reminded", EXCHANGE, undefined, to.join(", "));
    draft.notify("reminder", to, "nobody has taken it yet");
    if (state.owner_told) draft.notify("alert", [], "still nobody has taken it", { again: true });
  },
  nextStep: escalateToNextStep,
  remindHolder(draft) {
    const { state, now } = draft;
    const holder = state.executor ?? "";
    state.lease_reminded = true;
    // After the end of the lease the thread is released instead.
    if (now >= (state.lease_ends ?? now)) return;
    draft.log("reminded", EXCHANGE, undefined, holder);
    draft.notify(
      "reminder",
      [holder],
      "you hold this task and have not sent an update for a while",
    );
  },
  expire(draft) {
    const { state } = draft;
    const statusBefore = state.status;
    releaseHolder(state);
    draft.moveByExchange("expired", "not done in time", {
      expired_at: draft.time,
      stage: statusBefore,
    });
  },
  release(draft) {
    const { state } = draft;
    const holder = state.executor ?? "";
    releaseHolder(state);
    draft.log("released", EXCHANGE, undefined, `no update from ${holder} during the lease`);
    draft.moveByExchange("pending", `no update from ${holder}; open to every candidate again`);
    offerThread(draft, holder, `no update from ${holder}`);
  },
  remindRequestor,
  alertUnanswered,
  complete(draft) {
    delete draft.state.completes_at;
    delete draft.state.lease_ends;
    draft.moveByExchange("completed", "completed by its response");
  },
};
