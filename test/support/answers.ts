/** What people are answered, taken from the exchange's own tables: tests name the outcome, not its wording. */
import type { ErrorCode, MessError } from "../../src/mess/errors.ts";
import type { ReceiveResult, ChatAction } from "../../src/channels/chat-event.ts";
import { getReceiptText, getRefusalText } from "../../src/channels/replies/reply-texts.ts";
import { buildGuessedTaskReceipt } from "../../src/channels/replies/guessed-task-receipt.ts";

const buildReceiveResult = (about: Partial<ReceiveResult>): ReceiveResult => ({
  ref: "",
  intent: "",
  status: "pending",
  isDuplicate: false,
  ...about,
});

/** The notice on a button that was tapped, or the receipt of words, where it was taken. */
export const sendReceipt = (act: ChatAction, about: Partial<ReceiveResult> = {}): string =>
  getReceiptText(buildReceiveResult(about), act);

/** The receipt of words that named no task: it names the one that they were taken for. */
export const buildSpoken = (text: string, intent: string, about: Partial<ReceiveResult>): string =>
  buildGuessedTaskReceipt(buildReceiveResult({ intent, ...about }), text);

/** @param holder what people call the member that holds the thread */
export const readRefusal = (
  code: ErrorCode,
  { holder, ...more }: Partial<MessError> & { holder?: string } = {},
): string => getRefusalText({ code, message: "", hint: "", ...more }, holder);

/** The refusal of what comes after the end of a thread. */
export const getEndedText = (status: string): string => readRefusal("thread_finished", { status });
