/** Applies a `status` block of an executor (protocol §4). */
import type { MessError } from "../errors.ts";
import type { StatusUpdate } from "../wire/schema.ts";
import { isFinal } from "../status.ts";
import { writeTime } from "../times.ts";
import type { Candidate } from "../routing/routing.ts";
import { declineThread, checkHolder, releaseHolder, renewLease, claimThread } from "./claims.ts";
import type { ThreadDraft } from "./thread-change.ts";
import {
  resetEscalation,
  offerThread,
  preferCandidate,
  getRetryPauseEnd,
  getStepTimeoutMs,
} from "./escalation.ts";
import { buildFinishedError, checkConfirmed } from "./shared-refusals.ts";
import { addQuestions } from "./questions.ts";
import type { ThreadState } from "./state.ts";
import { expectAnswer } from "./pending-answers.ts";
import { TRANSITIONS } from "./transitions.ts";

/** Recoverable failures after which the thread fails permanently (decision 32). */
export const MAX_ATTEMPTS = 3;

const ACTING_STATUSES = ["completed", "partial"];

/** Applies the block to the draft. After an error the draft must be discarded. */
export function applyStatus(
  draft: ThreadDraft,
  actor: string,
  name: string,
  update: StatusUpdate,
  delegate: Candidate | undefined,
): MessError | undefined {
  const { state } = draft;
  const { code } = update;
  const isUnchanged = state.executor === actor && state.status === code;
  const error =
    (isFinal(state.status) ? buildFinishedError(state) : undefined) ??
    (code === "declined" ? undefined : checkHolder(state, actor, code)) ??
    checkTransition(state, actor, code) ??
    (ACTING_STATUSES.includes(code) ? checkConfirmed(state) : undefined);
  if (error) return error;

  if (code === "declined") {
    declineThread(draft, actor, name, buildNote(update));
    return undefined;
  }
  if (code === "claimed" && state.status === "needs_input" && state.soft_claim === actor) {
    // The candidate asked before it claims: its question stays open.
    state.executor = actor;
    state.resume = "claimed";
    resetEscalation(state);
    delete state.soft_claim;
    draft.log("claimed", actor, name);
    return undefined;
  }
  if (state.executor === null && code !== "needs_input") claimThread(draft, actor, name);
  delete state.completes_at;

  switch (code) {
    case "needs_input":
      askQuestions(draft, actor, name, update);
      break;
    case "needs_confirmation":
      state.questions = [];
      state.action = { text: update.action ?? "", asked_in: name, open: true };
      expectAnswer(draft, state.action.text);
      draft.move("needs_confirmation", actor, name, update.action);
      break;
    case "failed":
      failAttempt(draft, actor, name, update);
      break;
    case "delegated":
      delegateThread(draft, actor, name, update, delegate);
      break;
    default:
      state.questions = [];
      if (state.action) state.action.open = false;
      draft.move(code, actor, name, buildNote(update));
      if (!isFinal(code) && code !== "partial") state.resume = code;
  }
  renewLease(draft, update, isUnchanged);
  return undefined;
}

function checkTransition(
  state: ThreadState,
  actor: string,
  code: StatusUpdate["code"],
): MessError | undefined {
  const allowed = TRANSITIONS[state.status];
  // A candidate may decline while another holds the thread. A repeated claim of the holder only renews its lease.
  const isRepeatedClaim = code === "claimed" && state.executor === actor;
  if (allowed.includes(code) && !(isRepeatedClaim && state.status !== "claimed")) return undefined;
  if (code === "declined" && state.executor !== actor) return undefined;
  const awaitsConfirmation = state.status === "needs_confirmation";
  return {
    code:
      awaitsConfirmation && ["in_progress", "completed", "partial"].includes(code)
        ? "confirmation_required"
        : "illegal_transition",
    message: `${code} cannot follow ${state.status}`,
    hint: awaitsConfirmation
      ? "The requestor has not confirmed the action yet. Wait for its reply, or send held, failed or declined."
      : `From ${state.status} you may report: ${allowed.join(", ")}.`,
    valid: allowed,
  };
}

function askQuestions(draft: ThreadDraft, actor: string, name: string, update: StatusUpdate): void {
  const { state } = draft;
  if (state.executor === null) state.soft_claim ??= actor;
  if (state.action) state.action.open = false;
  state.questions = addQuestions(state.questions, update.questions ?? [], name);
  const texts = [update.message, ...(update.questions ?? []).map(({ question }) => question)];
  expectAnswer(draft, [...new Set(texts)].filter((one) => one !== undefined).join(" "));
  draft.move("needs_input", actor, name, update.message ?? update.questions?.[0]?.question);
}

function failAttempt(draft: ThreadDraft, actor: string, name: string, update: StatusUpdate): void {
  const { state } = draft;
  draft.move("failed", actor, name, buildNote(update));
  state.attempts++;
  const candidate = state.candidates.find(({ id }) => id === actor);
  if (candidate) candidate.failed = true;
  if (!update.recoverable || state.attempts >= MAX_ATTEMPTS) return;
  releaseHolder(state);
  state.resume = "retrying";
  state.retry_at = draft.now + getRetryDelayMs(state);
  const next = getRetryPauseEnd(draft, actor);
  draft.moveByExchange("retrying", `attempt ${state.attempts + 1} of ${MAX_ATTEMPTS}`, {
    attempt: state.attempts + 1,
    max_attempts: MAX_ATTEMPTS,
    ...(next === undefined ? {} : { next_attempt: writeTime(next, state.zone) }),
  });
  offerThread(draft, actor, `${actor} failed`);
}

/** Delay before a failed executor is offered the thread again: 1 minute, then 5, at most the timeout of a step. */
const getRetryDelayMs = (state: ThreadState): number =>
  Math.min(getStepTimeoutMs(state), 60_000 * 5 ** (state.attempts - 1));

function delegateThread(
  draft: ThreadDraft,
  actor: string,
  name: string,
  update: StatusUpdate,
  delegate: Candidate | undefined,
): void {
  const { state } = draft;
  const to = update.delegated_to ?? "";
  if (delegate === undefined) {
    state.delegated_to = to;
    draft.move("delegated", actor, name, `to ${to}`);
    return;
  }
  releaseHolder(state);
  draft.log("delegated", actor, name, `to ${delegate.id}`);
  preferCandidate(state, delegate);
  draft.moveByExchange("pending", `${actor} passed it to ${delegate.id}`);
  offerThread(draft, delegate.id === actor ? undefined : actor, `${actor} passed it on`);
}

function buildNote(update: StatusUpdate): string | undefined {
  if (update.message !== undefined) return update.message;
  if (typeof update.reason === "string") return update.reason;
  const reason = update.reason as { detail?: unknown } | undefined;
  return typeof reason?.detail === "string" ? reason.detail : undefined;
}
