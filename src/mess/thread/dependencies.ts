/** Applies the end of a thread to the threads that depend on it (decision 42). */
import { isFinal, type Status } from "../status.ts";
import type { ThreadDraft } from "./thread-change.ts";

/** Replaces a dependency by the threads that superseded it; this thread waits for all of them. */
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
 * Handles that the dependency `ref` has reached `status`. A completed one no longer blocks; after any other end
 * `on_dependency_failure` decides. `partial` does not satisfy a dependency and changes nothing.
 */
export function handleDependencyEnd(draft: ThreadDraft, ref: string, status: Status): void {
  const { state } = draft;
  if (!isFinal(status) || isFinal(state.status) || !state.blocked_by.includes(ref)) return;
  const continues = status === "completed" || state.on_dependency_failure === "proceed";
  if (continues) {
    state.blocked_by = state.blocked_by.filter((blocking) => blocking !== ref);
    return;
  }
  const reason = `the dependency ${ref} is ${status}`;
  const isMoved = draft.moveByExchange(
    state.on_dependency_failure === "cancel" ? "cancelled" : "held",
    reason,
  );
  if (isMoved) draft.notify("alert", [], reason);
}
