/** Claims of a thread, their leases, and how they end (decisions 22, 29, 30, 31). */
import type { MessError } from "../errors.ts";
import { readDuration } from "../durations.ts";
import { getLeaseSeconds } from "../routing/leases.ts";
import type { Candidate } from "../routing/routing.ts";
import type { StatusUpdate } from "../wire/schema.ts";
import { readTime } from "../times.ts";
import type { ThreadDraft } from "./thread-change.ts";
import { alertOwners, resetEscalation, offerThread } from "./escalation.ts";
import { EXCHANGE } from "./policy.ts";
import { getSourceOrigin, type ThreadState } from "./state.ts";

/** Statuses in which the holder is expected to work, so that its lease runs. */
const LEASED_STATUSES = ["claimed", "in_progress", "waiting", "held", "retrying"];

/** Makes the actor the holder. The caller has checked that the thread is unclaimed. */
export function claimThread(draft: ThreadDraft, actor: string, name: string): void {
  const { state } = draft;
  state.executor = actor;
  resetEscalation(state);
  delete state.soft_claim;
  state.questions = [];
  const candidate = state.candidates.find(({ id }) => id === actor);
  if (candidate) delete candidate.declined;
  // The actor is an owner, who was alerted that no candidate claimed the thread.
  else {
    const { rung: step = 1 } = state;
    const lease = getLeaseSeconds("person");
    state.candidates.push({ id: actor, kind: "person", lease, rung: step, asked: true });
  }
  draft.move("claimed", actor, name);
  // After a new offer or a question the work starts again from claimed.
  state.resume = "claimed";
}

/** Removes the holder of the thread. */
export function releaseHolder(state: ThreadState): void {
  state.executor = null;
  state.resume = "pending";
  state.questions = [];
  delete state.soft_claim;
  delete state.lease_ends;
  delete state.lease_reminded;
  delete state.completes_at;
  if (state.action) state.action.open = false;
}

/**
 * Renews the holder's lease after its message: it ends one lease period after now, or after an announced estimate or
 * eta. A message without a new status or announcement never shortens it. It is stopped while an answer is pending.
 * @param isUnchanged the message does not change the status
 */
export function renewLease(
  { state, now }: Pick<ThreadDraft, "state" | "now">,
  update?: StatusUpdate,
  isUnchanged = update === undefined,
): undefined {
  const { lease_ends: before = 0 } = state;
  delete state.lease_ends;
  delete state.lease_reminded;
  if (state.executor === null || !LEASED_STATUSES.includes(state.status)) return;
  const announced = update === undefined ? 0 : getAnnouncedEnd(update, now, state.zone);
  const renewed = Math.max(now, announced) + getHolder(state).lease * 1000;
  state.lease_ends = isUnchanged && announced === 0 ? Math.max(before, renewed) : renewed;
}

/** Returns the holder's candidate entry; a holder who is not a candidate counts as a person. */
export const getHolder = (state: ThreadState): Candidate =>
  state.candidates.find(({ id }) => id === state.executor) ?? {
    id: state.executor ?? "",
    kind: "person",
    lease: getLeaseSeconds("person"),
  };

function getAnnouncedEnd(update: StatusUpdate, now: number, zone: string): number {
  const waiting: Record<string, unknown> = update.waiting_for ?? {};
  const announcements = [
    update.estimate,
    update.eta,
    update.resume_eta,
    waiting.eta,
    waiting.available_at,
  ];
  return Math.max(
    0,
    ...announcements.map((text) => {
      if (typeof text !== "string") return 0;
      const seconds = readDuration(text);
      return seconds === undefined ? (readTime(text, zone) ?? 0) : now + seconds * 1000;
    }),
  );
}

/** Refuses an actor who is not the holder of the thread. */
export function checkHolder(
  state: ThreadState,
  actor: string,
  code: string,
): MessError | undefined {
  if (state.executor === null || state.executor === actor) return undefined;
  return code === "claimed"
    ? {
        code: "already_claimed",
        message: `${state.executor} holds this thread`,
        hint: "Wait: the thread is offered again if its holder gives it up.",
        valid: [state.executor],
      }
    : {
        code: "not_holder",
        message: `${state.executor} holds this thread`,
        hint: "Only the holder may report a status. To add information send followup; to withdraw send declined.",
        valid: [state.executor],
      };
}

/**
 * Records that a candidate declines, which counts for it alone. The thread returns to the other candidates, and ends
 * as declined when none is left (decision 31).
 */
export function declineThread(
  draft: ThreadDraft,
  actor: string,
  name: string,
  note: string | undefined,
): void {
  const { state } = draft;
  const candidate = state.candidates.find(({ id }) => id === actor);
  if (candidate) candidate.declined = true;
  const wasHolder = state.executor === actor;
  const hadSoftClaim = state.soft_claim === actor;
  if (wasHolder) {
    releaseHolder(state);
    draft.move("declined", actor, name, note);
  } else {
    draft.log("declined", actor, name, note);
    if (hadSoftClaim) withdrawQuestions(draft);
  }
  if (state.executor !== null) return;
  if (state.candidates.every(({ declined }) => declined)) {
    if (state.status === "declined")
      draft.log("declined", EXCHANGE, undefined, "no candidate is left");
    else draft.moveByExchange("declined", "every candidate has declined");
    // An actor who is not a candidate is an owner, and needs no alert.
    // Nor does one who was asked by a message source: it has no other to ask.
    if (candidate && !getSourceOrigin(state)) alertOwners(draft, "every candidate has declined");
  } else if (wasHolder) {
    draft.moveByExchange("pending", `${actor} declined; open to the other candidates`);
    offerThread(draft, undefined, `${actor} declined`);
  }
}

/** Withdraws the open questions of a candidate that declined or was removed. */
function withdrawQuestions(draft: ThreadDraft): void {
  const { state } = draft;
  delete state.soft_claim;
  state.questions = [];
  state.resume = "pending";
  if (state.status === "needs_input") draft.moveByExchange("pending", "the question was withdrawn");
}
