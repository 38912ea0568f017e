/**
 * The life of a draft: written and revised, approved once by a person for exactly one revision, then sent or failed.
 * Pure. Instants are milliseconds since 1970 UTC.
 */
import { defined } from "../defined.ts";
import { type Outcome, refuse } from "../errors.ts";
import { ok } from "../result.ts";
import { type DraftState, SOURCE_LIMITS } from "./vocabulary.ts";

/** The owner's approval of the current revision. */
export interface DraftApproval {
  by: string;
  at: number;
  /** Fingerprint of the source's settings, which decide where it is sent. Absent where they could not be read. */
  route?: string;
  /** Nothing is sent before; until then, and until an attempt begins, the approval can be undone. */
  send_at: number;
}

export interface Draft {
  state: DraftState;
  /** From 1. */
  revision: number;
  /** Digest of the current revision. */
  digest: string;
  updated: number;
  approval?: DraftApproval;
  /** Failed attempts to send. */
  attempts: number;
  /** An attempt began here and its end is not recorded: it runs, or the object stopped in the middle of it. */
  attempt_since?: number;
  sent_at?: number;
  /** The provider's id of the sent message. */
  external_id?: string;
  /** Why it failed, and what to do. */
  note?: string;
}

/** A person may send a message this long after the approval at the latest. */
export const MAX_SEND_DELAY_MS = 366 * 86_400_000;

/** States in which nobody has approved the draft. */
export const isOpenDraft = ({ state }: Draft): boolean =>
  state === "draft" || state === "approval_requested";

export const createDraft = (digest: string, now: number): Draft => ({
  state: "draft",
  revision: 1,
  digest,
  updated: now,
  attempts: 0,
});

/**
 * A failed draft can be revised too, and then needs a new approval; its note stays, because the approver must know it.
 * @param expected the revision that the author has read
 */
export function reviseDraft(
  draft: Draft,
  change: { expected: number; digest: string },
  now: number,
): Outcome<Draft> {
  if (!isOpenDraft(draft) && draft.state !== "failed") return refuseFinished(draft);
  if (change.expected !== draft.revision) return refuseChanged(draft);
  if (draft.revision >= SOURCE_LIMITS.revisionsPerDraft) return refuseManyRevisions();
  const { approval: _approval, attempt_since: _since, ...rest } = draft;
  return ok({
    ...rest,
    state: "draft",
    revision: draft.revision + 1,
    digest: change.digest,
    attempts: 0,
    updated: now,
  });
}

/** Discarding twice is the same as once. */
export function discardDraft(draft: Draft, now: number): Outcome<Draft> {
  if (draft.state === "discarded") return ok(draft);
  return isOpenDraft(draft) || draft.state === "failed"
    ? ok({ ...draft, state: "discarded", updated: now })
    : refuseFinished(draft);
}

/** Asking twice for the same revision is the same as once. */
export function requestDraftApproval(draft: Draft, now: number): Outcome<Draft> {
  if (draft.state === "approval_requested") return ok(draft);
  return draft.state === "draft"
    ? ok({ ...draft, state: "approval_requested", updated: now })
    : refuseFinished(draft);
}

/** The request has ended without an approval; another one can be made. */
export const takeBackRequest = (draft: Draft, now: number): Draft =>
  draft.state === "approval_requested" ? { ...draft, state: "draft", updated: now } : draft;

/**
 * Approves the revision with this digest, which freezes the draft. Whether the approver is a person must have been
 * checked.
 * @param sendAt when to send it; in any case not before the time for undoing is over
 */
export function approveDraft(
  draft: Draft,
  {
    by,
    digest,
    sendAt,
    route,
  }: { by: string; digest: string; sendAt?: number | undefined; route?: string | undefined },
  now: number,
): Outcome<Draft> {
  if (!isOpenDraft(draft)) return refuseFinished(draft);
  if (digest !== draft.digest) return refuseChanged(draft);
  if (sendAt !== undefined && sendAt > now + MAX_SEND_DELAY_MS) return refuseLateTime();
  const earliest = now + SOURCE_LIMITS.undoMs;
  const send_at = Math.max(earliest, sendAt ?? earliest);
  const approval = { by, at: now, send_at, ...defined({ route }) };
  return ok({ ...draft, state: "approved", approval, updated: now });
}

/** Takes the approval back while no attempt to send has begun, or the last one certainly sent nothing. */
export function undoApproval(draft: Draft, now: number): Outcome<Draft> {
  if (draft.state !== "approved" || draft.attempt_since !== undefined) return refuseUndo(draft);
  const { approval: _approval, ...rest } = draft;
  return ok({ ...rest, state: "draft", attempts: 0, updated: now });
}

/**
 * Whether to begin an attempt now. `interrupted`: an earlier attempt began and its end is unknown, so the message may
 * have been sent.
 */
export function checkAttempt(
  { state, approval, attempt_since: since }: Draft,
  now: number,
): "begin" | "interrupted" | "too_early" | "not_approved" {
  if (state !== "approved" || !approval) return "not_approved";
  if (since !== undefined) return "interrupted";
  return now < approval.send_at ? "too_early" : "begin";
}

/** Store it before the provider is called, so that a crash during the call leaves a trace. */
export const beginAttempt = (draft: Draft, now: number): Draft => ({
  ...draft,
  attempt_since: now,
});

/** The source would send it elsewhere now than when it was approved: the approval is void, and another one is needed. */
export function voidApproval(draft: Draft, note: string, now: number): Draft {
  const { approval: _approval, attempt_since: _since, ...rest } = draft;
  return { ...rest, state: "approval_requested", attempts: 0, updated: now, note };
}

export type AttemptEnd =
  | { type: "sent"; external_id?: string | undefined }
  /** Certainly not sent; it is tried again. */
  | { type: "retry" }
  | { type: "failed"; note: string };

/** Does nothing for a draft that is not being sent. */
export function endAttempt(draft: Draft, end: AttemptEnd, now: number): Draft {
  if (draft.state !== "approved") return draft;
  const { attempt_since: _since, note: _note, ...rest } = draft;
  const ended = { ...rest, updated: now };
  if (end.type === "retry") return { ...ended, attempts: draft.attempts + 1 };
  if (end.type === "failed") return { ...ended, state: "failed", note: end.note };
  return { ...ended, state: "sent", sent_at: now, ...defined({ external_id: end.external_id }) };
}

const FINISHED_HINTS: Partial<Record<DraftState, string>> = {
  approved: "Undo the approval first, or write a new draft.",
  sent: "Write a new draft.",
  failed: "Revise it, which makes a new revision to approve, or discard it.",
  discarded: "Write a new draft.",
};

const refuseFinished = ({ state }: Draft) =>
  refuse("draft_finished", `the draft is ${state}`, FINISHED_HINTS[state] ?? "Read it again.", {
    status: state,
  });

const refuseChanged = ({ digest, revision }: Draft) =>
  refuse(
    "draft_changed",
    `the draft was changed; it is at revision ${revision} now`,
    "Read it again. Its digest is in valid.",
    { valid: [digest] },
  );

const refuseUndo = ({ state, attempt_since: since }: Draft) =>
  refuse(
    "draft_finished",
    since === undefined ? `the draft is ${state}` : "the draft is being sent",
    "Only an approved draft that is not being sent can be undone.",
    { status: state },
  );

const refuseManyRevisions = () =>
  refuse(
    "too_large",
    `a draft has at most ${SOURCE_LIMITS.revisionsPerDraft} revisions`,
    "Discard it and write a new draft.",
  );

const refuseLateTime = () =>
  refuse("bad_time", "send_at: more than one year from now", "Name a time within a year.", {
    path: "send_at",
  });
