/** Refusals that several kinds of message share. */
import type { MessError } from "../errors.ts";
import type { ThreadState } from "./state.ts";

/** The thread has ended (decision 27). */
export const buildFinishedError = (state: ThreadState): MessError => ({
  code: "thread_finished",
  message: `the thread is ${state.status}`,
  hint: "It takes no further status or cancel; send a followup or review, or make a new request.",
});

/**
 * Nothing that acts may be reported while an approval is open, nor, where the request demands one, before the
 * last action that was asked for is confirmed (decisions 20 and 21).
 */
export function checkConfirmed(state: ThreadState): MessError | undefined {
  const { action } = state;
  const awaitsConfirmation = state.status === "needs_confirmation";
  const approved = action !== undefined && state.confirmed.includes(action.text);
  if (!awaitsConfirmation && (!state.confirm_before || approved)) return undefined;
  return {
    code: "confirmation_required",
    message: awaitsConfirmation
      ? "the requestor has yet to confirm the action"
      : "this request must be confirmed before it is acted on",
    hint: awaitsConfirmation
      ? "Wait for the requestor's reply."
      : "Send status needs_confirmation with the action, and go on when the reply confirms it.",
  };
}

/** A reply to what nobody asked. */
export const buildNoQuestionError = (message: string): MessError => ({
  code: "no_open_question",
  message,
  hint: "Read the thread for its present status; to add something, send a followup.",
});
