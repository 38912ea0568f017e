/**
 * Pending answers of the requestor, to a question or a confirmation. The requestor is reminded once, then the owners
 * are alerted, who may answer or cancel. The holder keeps the thread meanwhile, since no other executor could
 * continue without the answer; it may decline at any time.
 */
import type { Status } from "../status.ts";
import type { ThreadDraft } from "./thread-change.ts";
import { alertOwners, getStepTimeoutMs } from "./escalation.ts";
import { EXCHANGE } from "./policy.ts";
import type { ThreadState } from "./state.ts";

const QUESTION_STATUSES: readonly Status[] = ["needs_input", "needs_confirmation"];

/** True where the thread waits for its requestor. */
export const isWaitingForRequestor = ({ status }: { status: Status }): boolean =>
  QUESTION_STATUSES.includes(status);

/** Step timeouts after which the requestor is reminded and the owners are alerted. */
const REMINDER_AFTER_STEPS = 1;
const ALERT_AFTER_STEPS = 4;

const MAX_TEXT_CHARS = 300;

/** Records a question to the requestor; the time of an earlier pending answer is kept. */
export function expectAnswer({ state, now }: ThreadDraft, text: string): void {
  const { since = now, ...before } = state.unanswered ?? {};
  state.unanswered = { ...before, since, text: text.slice(0, MAX_TEXT_CHARS).toWellFormed() };
}

/** Records a partial answer: the requestor is responsive, so its time starts again. */
export function recordAnswer({ state, now }: ThreadDraft): void {
  if (state.unanswered) state.unanswered = { ...state.unanswered, since: now };
}

/** Adds a pending answer to states stored without one, and removes it when the thread stops waiting. */
export function updatePendingAnswer(state: ThreadState, now: number): void {
  if (isWaitingForRequestor(state)) state.unanswered ??= { since: now };
  else delete state.unanswered;
}

export function getRequestorReminderTime(state: ThreadState): number | undefined {
  const { unanswered } = state;
  if (!unanswered || unanswered.reminded || unanswered.escalated) return undefined;
  return unanswered.since + REMINDER_AFTER_STEPS * getStepTimeoutMs(state);
}

export function getOwnerAlertTime(state: ThreadState): number | undefined {
  const { unanswered } = state;
  if (!unanswered || unanswered.escalated) return undefined;
  return unanswered.since + ALERT_AFTER_STEPS * getStepTimeoutMs(state);
}

export function remindRequestor(draft: ThreadDraft): void {
  const { requestor, unanswered } = draft.state;
  if (!unanswered) return;
  unanswered.reminded = true;
  draft.log("reminded", EXCHANGE, undefined, requestor);
  draft.notify("news", [requestor], buildNote("your answer is needed", draft.state), {
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
