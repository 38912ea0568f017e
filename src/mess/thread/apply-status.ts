/** A `status` block: what an executor reports of its work (protocol §4). */
import type { MessError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { StatusUpdate } from "../wire/schema.ts";
import { isFinal } from "../status.ts";
import { writeTime } from "../times.ts";
import type { Candidate } from "../routing/routing.ts";
import { decline, holderFault, letGo, renewLease, take } from "./claims.ts";
import type { Draft } from "./thread-change.ts";
import { leaveLadder, offer, prefer, restsUntil, rungTime } from "./escalation.ts";
import { finishedFault, unconfirmedFault } from "./shared-refusals.ts";
import type { ThreadState } from "./state.ts";
import { expectAnswer } from "./pending-answers.ts";
import { TRANSITIONS } from "./transitions.ts";

/** Recoverable failures after which a thread fails for good (decision 32). */
export const MAX_ATTEMPTS = 3;

const ACTING = ["completed", "partial"];

/** Applies the block to the draft; a fault leaves the draft unusable. */
export function applyStatus(
  draft: Draft,
  actor: string,
  name: string,
  update: StatusUpdate,
  delegate: Candidate | undefined,
): MessError | undefined {
  const { state } = draft;
  const { code } = update;
  const goesOn = state.executor === actor && state.status === code;
  const fault =
    (isFinal(state.status) ? finishedFault(state) : undefined) ??
    (code === "declined" ? undefined : holderFault(state, actor, code)) ??
    transitionFault(state, actor, code) ??
    (ACTING.includes(code) ? unconfirmedFault(state) : undefined);
  if (fault) return fault;

  if (code === "declined") {
    decline(draft, actor, name, noteOf(update));
    return undefined;
  }
  if (code === "claimed" && state.status === "needs_input" && state.soft_claim === actor) {
    // It asked first and claims now: its question stays open.
    state.executor = actor;
    state.resume = "claimed";
    leaveLadder(state);
    delete state.soft_claim;
    draft.log("claimed", actor, name);
    return undefined;
  }
  if (state.executor === null && code !== "needs_input") take(draft, actor, name);
  delete state.completes_at;

  switch (code) {
    case "needs_input":
      ask(draft, actor, name, update);
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
      passOn(draft, actor, name, update, delegate);
      break;
    default:
      state.questions = [];
      if (state.action) state.action.open = false;
      draft.move(code, actor, name, noteOf(update));
      if (!isFinal(code) && code !== "partial") state.resume = code;
  }
  renewLease(draft, update, goesOn);
  return undefined;
}

function transitionFault(
  state: ThreadState,
  actor: string,
  code: StatusUpdate["code"],
): MessError | undefined {
  const allowed = TRANSITIONS[state.status];
  // A candidate may step back whoever holds the thread; its own claim again is only a sign of life.
  const claimsAgain = code === "claimed" && state.executor === actor;
  if (allowed.includes(code) && !(claimsAgain && state.status !== "claimed")) return undefined;
  if (code === "declined" && state.executor !== actor) return undefined;
  const open = state.status === "needs_confirmation";
  return {
    code:
      open && ["in_progress", "completed", "partial"].includes(code)
        ? "confirmation_required"
        : "illegal_transition",
    message: `${code} cannot follow ${state.status}`,
    hint: open
      ? "The requestor has yet to confirm the action; wait for its reply, or send held, failed or declined."
      : `From ${state.status} you may report: ${allowed.join(", ")}.`,
    valid: allowed,
  };
}

function ask(draft: Draft, actor: string, name: string, update: StatusUpdate): void {
  const { state } = draft;
  if (state.executor === null) state.soft_claim ??= actor;
  if (state.action) state.action.open = false;
  const asked = (update.questions ?? []).map(({ id }) => ({ key: id ?? "q1", asked_in: name }));
  const still = state.questions.filter(({ key }) => asked.every((one) => one.key !== key));
  state.questions = [...still, ...asked].slice(-LIMITS.list);
  const words = [update.message, ...(update.questions ?? []).map(({ question }) => question)];
  expectAnswer(draft, [...new Set(words)].filter((one) => one !== undefined).join(" "));
  draft.move("needs_input", actor, name, update.message ?? update.questions?.[0]?.question);
}

function failAttempt(draft: Draft, actor: string, name: string, update: StatusUpdate): void {
  const { state } = draft;
  draft.move("failed", actor, name, noteOf(update));
  state.attempts++;
  const candidate = state.candidates.find(({ id }) => id === actor);
  if (candidate) candidate.failed = true;
  if (!update.recoverable || state.attempts >= MAX_ATTEMPTS) return;
  letGo(state);
  state.resume = "retrying";
  state.retry_at = draft.now + pauseAfter(state);
  const next = restsUntil(draft, actor);
  draft.exchangeMoves("retrying", `attempt ${state.attempts + 1} of ${MAX_ATTEMPTS}`, {
    attempt: state.attempts + 1,
    max_attempts: MAX_ATTEMPTS,
    ...(next === undefined ? {} : { next_attempt: writeTime(next, state.zone) }),
  });
  offer(draft, actor, `${actor} failed`);
}

/** Milliseconds before whoever failed is asked again: a minute, then five; what is urgent waits no longer than a rung. */
const pauseAfter = (state: ThreadState): number =>
  Math.min(rungTime(state), 60_000 * 5 ** (state.attempts - 1));

function passOn(
  draft: Draft,
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
  letGo(state);
  draft.log("delegated", actor, name, `to ${delegate.id}`);
  prefer(state, delegate);
  draft.exchangeMoves("pending", `${actor} passed it to ${delegate.id}`);
  offer(draft, delegate.id === actor ? undefined : actor, `${actor} passed it on`);
}

function noteOf(update: StatusUpdate): string | undefined {
  if (update.message !== undefined) return update.message;
  if (typeof update.reason === "string") return update.reason;
  const reason = update.reason as { detail?: unknown } | undefined;
  return typeof reason?.detail === "string" ? reason.detail : undefined;
}
