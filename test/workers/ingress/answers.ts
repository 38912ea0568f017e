/** What people are answered, taken from the exchange's own tables: tests name the outcome, not its wording. */
import type { ErrorCode, MessError } from "../../../src/mess/errors.ts";
import type { Heard, InboundAct } from "../../../src/channels/chat-event.ts";
import { receiptWords, refusalWords } from "../../../src/channels/replies/reply-texts.ts";
import { spokenReceipt } from "../../../src/channels/replies/guessed-task-receipt.ts";

const heard = (about: Partial<Heard>): Heard => ({
  ref: "",
  intent: "",
  status: "pending",
  again: false,
  ...about,
});

/** The notice on a button that was tapped, or the receipt of words, where it was taken. */
export const receipt = (act: InboundAct, about: Partial<Heard> = {}): string =>
  receiptWords(heard(about), act);

/** The receipt of words that named no task: it names the one that they were taken for. */
export const spoken = (text: string, intent: string, about: Partial<Heard>): string =>
  spokenReceipt(heard({ intent, ...about }), text);

/** @param holder what people call the member that holds the thread */
export const refusal = (
  code: ErrorCode,
  { holder, ...more }: Partial<MessError> & { holder?: string } = {},
): string => refusalWords({ code, message: "", hint: "", ...more }, holder);

/** The refusal of what comes after the end of a thread. */
export const ended = (status: string): string => refusal("thread_finished", { status });
