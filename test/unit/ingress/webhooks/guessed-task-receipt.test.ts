import { expect, it } from "vitest";
import type { ReceiveResult, ChatAction } from "../../../../src/channels/chat-event.ts";
import { getReceiptText } from "../../../../src/channels/replies/reply-texts.ts";
import { buildGuessedTaskReceipt } from "../../../../src/channels/replies/guessed-task-receipt.ts";

const RESULT: ReceiveResult = {
  ref: "r",
  intent: "look for\nthe keys",
  status: "pending",
  isDuplicate: false,
};
const HELD_BY_SENDER = { status: "claimed", holdsThread: true } as const;
const BY_REQUESTOR = { asRequestor: true } as const;

it.each<[string, Partial<ReceiveResult>, ChatAction]>([
  ["under the sofa", HELD_BY_SENDER, "message"],
  ["done", { status: "completed" }, "completed"],
  ["no", {}, "declined"],
  ["which?", { status: "needs_input" }, "message"],
  ["call off", { status: "cancelled", ...BY_REQUESTOR }, "message"],
  ["yes", { status: "in_progress", ...BY_REQUESTOR }, "message"],
  ["no", { status: "held", ...BY_REQUESTOR }, "message"],
  ["no", BY_REQUESTOR, "declined"],
])("the receipt for %j in %o is the one of %s, and names the task", (text, more, action) => {
  const result = { ...RESULT, ...more };

  const receipt = buildGuessedTaskReceipt(result, text);

  expect(receipt).toContain("look for the keys");
  expect(receipt.replace(": look for the keys", "")).toBe(getReceiptText(result, action));
});

it("the receipt for a claim names the task and the keyword that completes it, also for a repeated message", () => {
  const receipt = buildGuessedTaskReceipt({ ...RESULT, ...HELD_BY_SENDER }, "ok");

  expect(receipt).toContain("look for the keys");
  expect(receipt).toMatch(/\bDONE\b/);
  expect(buildGuessedTaskReceipt({ ...RESULT, ...HELD_BY_SENDER, isDuplicate: true }, "ok")).toBe(
    receipt,
  );
});

it("the receipt fits into one SMS, however long the name of the task is", () => {
  const receipt = buildGuessedTaskReceipt(
    { ...RESULT, ...HELD_BY_SENDER, intent: "look ".repeat(100) },
    "1",
  );
  expect(receipt.length).toBeLessThanOrEqual(160);
  expect(receipt).toContain("lo...");
});
