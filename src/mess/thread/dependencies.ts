/** What the end of one thread does to those that depend on it (decision 42). */
import { isFinal, type Status } from "../status.ts";
import type { ThreadDraft } from "./thread-change.ts";

/** A thread on which this one depends is replaced by others: this one waits for all of them. */
export function replaceDependency(
  { state }: ThreadDraft,
  of: string,
  refs: readonly string[],
): void {
  if (isFinal(state.status) || !state.blocked_by.includes(of)) return;
  const blocking = state.blocked_by.flatMap((ref) => (ref === of ? refs : [ref]));
  state.blocked_by = [...new Set(blocking)];
}

/**
 * A thread on which this one depends has reached `status`. Completed, it blocks no longer; ended otherwise,
 * the request's own policy decides. `partial` does not satisfy, and changes nothing.
 */
export function handleDependencyEnd(draft: ThreadDraft, ref: string, status: Status): void {
  const { state } = draft;
  if (!isFinal(status) || isFinal(state.status) || !state.blocked_by.includes(ref)) return;
  const continues = status === "completed" || state.on_dependency_failure === "proceed";
  if (continues) {
    state.blocked_by = state.blocked_by.filter((blocking) => blocking !== ref);
    return;
  }
  const reason = `${ref}, on which this depends, is ${status}`;
  const isMoved = draft.moveByExchange(
    state.on_dependency_failure === "cancel" ? "cancelled" : "held",
    reason,
  );
  if (isMoved) draft.notify("alert", [], reason);
}
