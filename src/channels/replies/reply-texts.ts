/** Refusals and receipts for people: one sentence, no code, and nothing about other people's threads. */
import type { ErrorCode } from "../../mess/errors.ts";
import { isolate } from "../shared/text-direction.ts";
import type { ReceiveRefusal, ReceiveResult, ChatAction } from "../chat-event.ts";

/** The reply to a sender who is no known member. */
export const UNKNOWN_SENDER_TEXT =
  "This line is only for members of a household, and you are not known here.";

const ENDED_TEXTS: Readonly<Record<string, string>> = {
  completed: "It is already done. Thank you!",
  cancelled: "It was cancelled, so nothing is needed any more.",
  expired: "It has expired, so nothing is needed any more.",
  declined: "It is closed: nobody could take it.",
  failed: "It is closed: it could not be done.",
  superseded: "It is closed: another request replaced it.",
  delegated: "It is closed: others are taking care of it.",
};

/** Codes that a person can cause; any other is an error that they cannot fix. */
const REFUSAL_TEXTS: Partial<Readonly<Record<ErrorCode, string>>> = {
  unknown_executor: UNKNOWN_SENDER_TEXT,
  not_found: "I can't tell which request you mean. Please reply to its message, or open its link.",
  wrong_role: "You can't do that with this request.",
  link_dead: "This link is no longer valid. Please ask for a new one.",
  illegal_transition: "That is not possible right now. Open the link to see what is.",
  confirmation_required: "This needs a confirmation first. We'll let you know.",
  no_open_question: "There is no open question right now.",
  empty_message: "Your message was empty, so nothing was sent.",
  too_large: "That is too large to send from here. Please open the link and send it there.",
  bad_attachment: "A file could not be fetched, so nothing was sent. Please send it again.",
  unknown_attachment: "A file could not be fetched, so nothing was sent. Please send it again.",
  thread_full: "This request accepts no more messages.",
  storage_full:
    "There is no space for more files here, so nothing was sent. Please send it without files.",
  rate_limited: "That was a lot at once. Please wait a minute and send it again.",
  too_many: "That was a lot at once. Please send fewer files, or wait a minute.",
};

/** Replies that an owner can use instead, after a refusal. */
const OWNER_ACTION_TEXTS: Readonly<Record<string, string>> = {
  claimed: "1 to take it",
  cancel: "CALL OFF to cancel it",
  followup: "a message to forward",
};

/** Actions that a refusal offers to an owner. */
export const OFFERED_OWNER_ACTIONS: readonly string[] = Object.keys(OWNER_ACTION_TEXTS);

export function getRefusalText(error: ReceiveRefusal): string {
  const { code, holder } = error;
  if (code === "person_required") return describeApproval(error);
  if (code === "already_claimed" || code === "not_holder")
    return `${isolate(holder ?? "Somebody else")} is already on it.`;
  if (code === "thread_finished")
    return ENDED_TEXTS[error.status ?? ""] ?? "It is closed, so nothing is needed any more.";
  const allowedTexts = (error.valid ?? []).flatMap((action) => OWNER_ACTION_TEXTS[action] ?? []);
  if (code === "wrong_role" && allowedTexts.length > 0)
    return `That is not possible right now. You can reply ${joinList(allowedTexts)}.`;
  return REFUSAL_TEXTS[code] ?? "That could not be sent. Please try again, or open the link.";
}

/** Nothing may sound as if the draft were sent. */
function describeApproval({ isUnconfirmed, signInPage }: ReceiveRefusal): string {
  const at = signInPage === undefined ? "." : `: ${signInPage}`;
  return isUnconfirmed
    ? `Nothing was sent: you have not confirmed this chat for approvals. Sign in to approve, or to confirm it${at}`
    : `Nothing was sent. To approve it, tap its button in Telegram or Slack, or sign in${at}`;
}

const joinList = (all: readonly string[]): string =>
  [all.slice(0, -1).join(", "), all.at(-1)!].filter((part) => part !== "").join(" or ");

/** The receipt of an accepted event; at most 200 characters, for the notice on a button. */
export function getReceiptText(
  { isDuplicate, status, asRequestor, draft }: ReceiveResult,
  action: ChatAction,
): string {
  if (isDuplicate) return "We have this already.";
  if (draft === "approved") return "It is sent in a few seconds.";
  if (draft === "not_approved") return "Nothing was sent. Open the link and sign in to approve it.";
  if (action === "claimed") return "It's yours. Thank you!";
  if (action === "declined") return "All right, we won't ask you again about this.";
  if (status === "cancelled") return "It is cancelled.";
  if (action === "completed" || status === "completed") return "Done. Thank you!";
  if (status === "needs_input" && !asRequestor) return "Your question was sent.";
  return "Sent. Thank you!";
}
