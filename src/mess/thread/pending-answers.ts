/**
 * What the requestor owes: the answer to a question, or to what is to be confirmed. It is reminded once, and then the
 * owners are told, who may answer in its place or cancel. The holder keeps the thread meanwhile, since nobody else could
 * go on without the answer either; it may let go at any time.
 */
import type { Status } from "../status.ts";
import type { Draft } from "./thread-change.ts";
import { escalate, rungTime } from "./escalation.ts";
import { EXCHANGE } from "./policy.ts";
import type { ThreadState } from "./state.ts";

const ASKING: readonly Status[] = ["needs_input", "needs_confirmation"];

/** The thread waits for its requestor. */
export const isOwed = ({ status }: { status: Status }): boolean => ASKING.includes(status);

/** Times of a rung after which the requestor is reminded, and the owners are told. */
const REMINDED_AFTER = 1;
const ESCALATED_AFTER = 4;

const LONGEST = 300;

/** Something is asked of the requestor; what it owes already, it owes since then. */
export function expectAnswer({ state, now }: Draft, text: string): void {
  const { since = now, ...before } = state.unanswered ?? {};
  state.unanswered = { ...before, since, text: text.slice(0, LONGEST).toWellFormed() };
}

/** The requestor has answered a part: it is there. */
export function heardAnswer({ state, now }: Draft): void {
  if (state.unanswered) state.unanswered = { ...state.unanswered, since: now };
}

/** Begins where a state that was stored without it waits, and ends with the waiting. */
export function keepUnanswered(state: ThreadState, now: number): void {
  if (isOwed(state)) state.unanswered ??= { since: now };
  else delete state.unanswered;
}

export function requestorReminderDue(state: ThreadState): number | undefined {
  const { unanswered } = state;
  if (!unanswered || unanswered.reminded || unanswered.escalated) return undefined;
  return unanswered.since + REMINDED_AFTER * rungTime(state);
}

export function escalationDue(state: ThreadState): number | undefined {
  const { unanswered } = state;
  if (!unanswered || unanswered.escalated) return undefined;
  return unanswered.since + ESCALATED_AFTER * rungTime(state);
}

export function remindRequestor(draft: Draft): void {
  const { requestor, unanswered } = draft.state;
  if (!unanswered) return;
  unanswered.reminded = true;
  draft.log("reminded", EXCHANGE, undefined, requestor);
  draft.tell("news", [requestor], wordsOf("your answer is waited for", draft.state), {
    about: "unanswered",
  });
}

export function escalateUnanswered(draft: Draft): void {
  const { requestor, unanswered } = draft.state;
  if (!unanswered) return;
  unanswered.escalated = true;
  escalate(draft, wordsOf(`${requestor} has not answered`, draft.state), { about: "unanswered" });
}

const wordsOf = (what: string, { unanswered }: ThreadState): string =>
  unanswered?.text ? `${what}: ${unanswered.text}` : what;
