/** Texts that people get in reply, read from the exchange's own tables, so that tests do not repeat the wording. */
import type { ErrorCode } from "../../src/mess/errors.ts";
import type { ReceiveRefusal, ReceiveResult, ChatAction } from "../../src/channels/chat-event.ts";
import { getReceiptText, getRefusalText } from "../../src/channels/replies/reply-texts.ts";
import { buildGuessedTaskReceipt } from "../../src/channels/replies/guessed-task-receipt.ts";

const buildReceiveResult = (about: Partial<ReceiveResult>): ReceiveResult => ({
  ref: "",
  intent: "",
  status: "pending",
  isDuplicate: false,
  ...about,
});

/** The notice on a tapped button, or the receipt of a reply text, if the reply was accepted. */
export const sendReceipt = (act: ChatAction, about: Partial<ReceiveResult> = {}): string =>
  getReceiptText(buildReceiveResult(about), act);

/** The receipt of a reply text that named no task: it names the task to which the reply was applied. */
export const buildSpoken = (text: string, intent: string, about: Partial<ReceiveResult>): string =>
  buildGuessedTaskReceipt(buildReceiveResult({ intent, ...about }), text);

export const readRefusal = (code: ErrorCode, more: Partial<ReceiveRefusal> = {}): string =>
  getRefusalText({ code, message: "", hint: "", ...more });

/** The refusal of a reply after the end of a thread. */
export const getEndedText = (status: string): string => readRefusal("thread_finished", { status });
