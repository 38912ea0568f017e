/** Holding a thread: claims, their leases, and what happens when they end (decisions 22, 29, 30, 31). */
import type { MessError } from "../errors.ts";
import { readDuration } from "../durations.ts";
import { getLeaseSeconds } from "../routing/leases.ts";
import type { Candidate } from "../routing/routing.ts";
import type { StatusUpdate } from "../wire/schema.ts";
import { readTime } from "../times.ts";
import type { ThreadDraft } from "./thread-change.ts";
import { alertOwners, resetEscalation, offerThread } from "./escalation.ts";
import { EXCHANGE } from "./policy.ts";
import type { ThreadState } from "./state.ts";

/** Statuses in which the holder is expected to be at work, so that its silence counts. */
const LEASED_STATUSES = ["claimed", "in_progress", "waiting", "held", "retrying"];

/** Gives the thread to the actor. The caller has checked that nobody holds it. */
export function claimThread(draft: ThreadDraft, actor: string, name: string): void {
  const { state } = draft;
  state.executor = actor;
  resetEscalation(state);
  delete state.soft_claim;
  state.questions = [];
  const candidate = state.candidates.find(({ id }) => id === actor);
  if (candidate) delete candidate.declined;
  // An owner, who was told that nobody takes it.
  else {
    const { rung: tier = 1 } = state;
    const lease = getLeaseSeconds("person");
    state.candidates.push({ id: actor, kind: "person", lease, rung: tier, asked: true });
  }
  draft.move("claimed", actor, name);
  // A claim of what was re-queued or asked about starts over from claimed.
  state.resume = "claimed";
}

/** Takes the thread from its holder, whatever the reason. */
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
 * The holder was heard of: its claim lasts another lease, or until what it announced (estimate, eta) if that
 * is later; what goes on as it was takes back nothing of that. While it waits for an answer the lease stands still.
 * @param isUnchanged the message changes nothing of how the work stands
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

/** The holder as it was asked; a holder who was not is taken for a person. */
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

/** Refuses who acts on a thread that another holds. */
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
        hint: "Leave it to the holder; it is offered again if they let go.",
        valid: [state.executor],
      }
    : {
        code: "not_holder",
        message: `${state.executor} holds this thread`,
        hint: "Only the holder reports on it; send followup to add something, or declined to be left out.",
        valid: [state.executor],
      };
}

/**
 * A candidate says no: that counts for it alone. The thread goes back to the others, and ends as declined
 * when none is left (decision 31).
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
  const hadAsked = state.soft_claim === actor;
  if (wasHolder) {
    releaseHolder(state);
    draft.move("declined", actor, name, note);
  } else {
    draft.log("declined", actor, name, note);
    if (hadAsked) withdrawQuestions(draft);
  }
  if (state.executor !== null) return;
  if (state.candidates.every(({ declined }) => declined)) {
    if (state.status === "declined")
      draft.log("declined", EXCHANGE, undefined, "no candidate is left");
    else draft.moveByExchange("declined", "every candidate has declined");
    // Who declines without being a candidate is an owner.
    if (candidate) alertOwners(draft, "every candidate has declined");
  } else if (wasHolder) {
    draft.moveByExchange("pending", `${actor} declined; open to the other candidates`);
    offerThread(draft, undefined, `${actor} declined`);
  }
}

/** The candidate that asked is gone, and its questions with it. */
function withdrawQuestions(draft: ThreadDraft): void {
  const { state } = draft;
  delete state.soft_claim;
  state.questions = [];
  state.resume = "pending";
  if (state.status === "needs_input") draft.moveByExchange("pending", "the question was withdrawn");
}
