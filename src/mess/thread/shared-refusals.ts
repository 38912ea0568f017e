/** Errors that several message types share. */
import type { MessError } from "../errors.ts";
import type { ThreadState } from "./state.ts";

/** Builds the error for a thread that has ended (decision 27). */
export const buildFinishedError = (state: ThreadState): MessError => ({
  code: "thread_finished",
  message: `the thread is ${state.status}`,
  hint: "Send a followup or review, or create a new request; status and cancel are no longer accepted.",
});

/**
 * Refuses a report of acting while a confirmation is open, and where the request has `confirm_before`, before the
 * last proposed action is confirmed (decisions 20 and 21).
 */
export function checkConfirmed(state: ThreadState): MessError | undefined {
  const { action } = state;
  const awaitsConfirmation = state.status === "needs_confirmation";
  const approved = action !== undefined && state.confirmed.includes(action.text);
  if (!awaitsConfirmation && (!state.confirm_before || approved)) return undefined;
  return {
    code: "confirmation_required",
    message: awaitsConfirmation
      ? "the requestor has not confirmed the action yet"
      : "this request must be confirmed before it is acted on",
    hint: awaitsConfirmation
      ? "Wait for the requestor's reply."
      : "Send status needs_confirmation with the action, and continue after the reply confirms it.",
  };
}

/** Builds the error for a reply without an open question. */
export const buildNoQuestionError = (message: string): MessError => ({
  code: "no_open_question",
  message,
  hint: "Read the thread for its current status. To add information send followup.",
});
