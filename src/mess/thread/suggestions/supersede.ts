/** Ends a thread that was replaced by others: merged into one, or split into several (decisions 34 and 69). */
import type { ThreadDraft } from "../thread-change.ts";

export interface Replacement {
  /** Ref of the thread that replaces it; for a split, the first one. */
  superseded_by: string;
  reason: "merge" | "split" | "replace";
  /** Further refs of a split. */
  others?: string[];
}

const REASON_TEXTS = { merge: "merged into", split: "split into", replace: "replaced by" } as const;

/**
 * Ends the thread as `superseded` with a message of the exchange. Does nothing where the thread has ended.
 * @returns whether the thread was ended
 */
export function supersede(
  draft: ThreadDraft,
  { superseded_by, reason, others }: Replacement,
): boolean {
  const { state } = draft;
  const refs = [superseded_by, ...(others ?? [])];
  const isMoved = draft.moveByExchange("superseded", `${REASON_TEXTS[reason]} ${refs.join(", ")}`, {
    superseded_by,
    reason,
  });
  if (!isMoved) return false;
  state.superseded_by = superseded_by;
  state.questions = [];
  delete state.soft_claim;
  delete state.lease_ends;
  delete state.completes_at;
  if (state.action) state.action.open = false;
  return true;
}
