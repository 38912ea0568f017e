/**
 * What the requestor owes: the answer to a question, or to what is to be confirmed. It is reminded once, and then the
 * owners are told, who may answer in its place or cancel. The holder keeps the thread meanwhile, since nobody else could
 * go on without the answer either; it may let go at any time.
 */
import type { Status } from "../status.ts";
import type { ThreadDraft } from "./thread-change.ts";
import { alertOwners, getTierTimeoutMs } from "./escalation.ts";
import { EXCHANGE } from "./policy.ts";
import type { ThreadState } from "./state.ts";

const ASKING_STATUSES: readonly Status[] = ["needs_input", "needs_confirmation"];

/** The thread waits for its requestor. */
export const isWaitingForRequestor = ({ status }: { status: Status }): boolean =>
  ASKING_STATUSES.includes(status);

/** Times of a rung after which the requestor is reminded, and the owners are told. */
const REMINDER_AFTER_TIERS = 1;
const ALERT_AFTER_TIERS = 4;

const MAX_TEXT_CHARS = 300;

/** Something is asked of the requestor; what it owes already, it owes since then. */
export function expectAnswer({ state, now }: ThreadDraft, text: string): void {
  const { since = now, ...before } = state.unanswered ?? {};
  state.unanswered = { ...before, since, text: text.slice(0, MAX_TEXT_CHARS).toWellFormed() };
}

/** The requestor has answered a part: it is there. */
export function recordAnswer({ state, now }: ThreadDraft): void {
  if (state.unanswered) state.unanswered = { ...state.unanswered, since: now };
}

/** Begins where a state that was stored without it waits, and ends with the waiting. */
export function updatePendingAnswer(state: ThreadState, now: number): void {
  if (isWaitingForRequestor(state)) state.unanswered ??= { since: now };
  else delete state.unanswered;
}

export function getRequestorReminderTime(state: ThreadState): number | undefined {
  const { unanswered } = state;
  if (!unanswered || unanswered.reminded || unanswered.escalated) return undefined;
  return unanswered.since + REMINDER_AFTER_TIERS * getTierTimeoutMs(state);
}

export function getOwnerAlertTime(state: ThreadState): number | undefined {
  const { unanswered } = state;
  if (!unanswered || unanswered.escalated) return undefined;
  return unanswered.since + ALERT_AFTER_TIERS * getTierTimeoutMs(state);
}

export function remindRequestor(draft: ThreadDraft): void {
  const { requestor, unanswered } = draft.state;
  if (!unanswered) return;
  unanswered.reminded = true;
  draft.log("reminded", EXCHANGE, undefined, requestor);
  draft.notify("news", [requestor], buildNote("your answer is waited for", draft.state), {
    about: "unanswered",
  });
}

export function alertUnanswered(draft: ThreadDraft): void {
  const { requestor, unanswered } = draft.state;
  if (!unanswered) return;
  unanswered.escalated = true;
  alertOwners(draft, buildNote(`${requestor} has not answered`, draft.state), {
    about: "unanswered",
  });
}

const buildNote = (prefix: string, { unanswered }: ThreadState): string =>
  unanswered?.text ? `${prefix}: ${unanswered.text}` : prefix;
