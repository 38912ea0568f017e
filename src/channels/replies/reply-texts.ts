/** Refusals and receipts in words for people: one sentence, no code, nothing of a thread that is not theirs. */
import type { ErrorCode, MessError } from "../../mess/errors.ts";
import type { ReceiveResult, ChatAction } from "../chat-event.ts";

/** What a stranger is told, whoever and wherever they are. */
export const UNKNOWN_SENDER_TEXT =
  "This line is only for members of a household, and you are not known here.";

const ENDED_TEXTS: Readonly<Record<string, string>> = {
  completed: "It is done already. Thank you!",
  cancelled: "It was called off: nothing more is needed.",
  expired: "Its time is over: nothing more is needed.",
  declined: "It has ended: nobody could take it.",
  failed: "It has ended: it could not be done.",
  superseded: "It has ended: another request took its place.",
  delegated: "It has ended: it was passed on to others.",
};

/** Codes that a person can bring about; any other is a fault that they cannot mend. */
const REFUSAL_TEXTS: Partial<Readonly<Record<ErrorCode, string>>> = {
  unknown_executor: UNKNOWN_SENDER_TEXT,
  not_found: "It is not clear which request you mean: answer to its message, or open its link.",
  wrong_role: "This request is not open to you.",
  link_dead: "This link has ended: ask for a new one.",
  illegal_transition: "That does not fit where the request stands now. Its link shows what does.",
  confirmation_required: "This must be confirmed first. You will hear as soon as it is.",
  no_open_question: "Nothing is asked at the moment.",
  empty_message: "There was nothing in your message that could be passed on.",
  too_large: "That is too large to be passed on from here. Open the link, and send it there.",
  bad_attachment: "A file could not be fetched, so nothing was passed on. Please send it again.",
  unknown_attachment:
    "A file could not be fetched, so nothing was passed on. Please send it again.",
  thread_full: "This request takes no more messages.",
  rate_limited: "That was a lot at once: please wait a minute, then send it again.",
  too_many: "That was a lot at once: please send fewer files, or wait a minute.",
};

/** What an owner may send where something else was refused. */
const OWNER_ACTION_TEXTS: Readonly<Record<string, string>> = {
  claimed: "1 to take it",
  cancel: "CALL OFF to cancel it",
  followup: "words to be passed on",
};

/** Actions that an owner who is refused is told of. */
export const OFFERED_OWNER_ACTIONS: readonly string[] = Object.keys(OWNER_ACTION_TEXTS);

/** @param holder what people call the member that holds the thread */
export function getRefusalText(error: MessError, holder: string | undefined): string {
  const { code } = error;
  if (code === "already_claimed" || code === "not_holder")
    return `${holder ?? "Somebody else"} has it already.`;
  if (code === "thread_finished")
    return ENDED_TEXTS[error.status ?? ""] ?? "It has ended: nothing more is needed.";
  const may = (error.valid ?? []).flatMap((action) => OWNER_ACTION_TEXTS[action] ?? []);
  if (code === "wrong_role" && may.length > 0)
    return `That is not open to you now. You may send ${joinList(may)}.`;
  return REFUSAL_TEXTS[code] ?? "That could not be passed on. Please try again, or open the link.";
}

const joinList = (all: readonly string[]): string =>
  [all.slice(0, -1).join(", "), all.at(-1)!].filter((part) => part !== "").join(" or ");

/** What is said back when it was taken: short enough for a notice on a button (200 characters). */
export function getReceiptText(
  { isDuplicate, status, asRequestor }: ReceiveResult,
  action: ChatAction,
): string {
  if (isDuplicate) return "That has arrived already.";
  if (action === "claimed") return "It is yours. Thank you!";
  if (action === "declined") return "All right, you are left out.";
  if (status === "cancelled") return "It is called off.";
  if (action === "completed" || status === "completed") return "Done. Thank you!";
  if (status === "needs_input" && !asRequestor) return "Your question was passed on.";
  return "Passed on. Thank you!";
}
