import { expect, it } from "vitest";
import {
  getReceiptText,
  getRefusalText,
  UNKNOWN_SENDER_TEXT,
} from "../../../../src/channels/replies/reply-texts.ts";
import { ERRORS, type ErrorCode, refuse } from "../../../../src/mess/errors.ts";

const buildRefused = (code: ErrorCode, more = {}) =>
  refuse(code, "internal words of ann@example.com", "POST /mess again", more).error;

it("a chat refusal names the member who holds the thread, if it is known", () => {
  const named = getRefusalText({ ...buildRefused("already_claimed"), holder: "Ann" });
  const unnamed = getRefusalText(buildRefused("not_holder"));

  expect(named).toContain("Ann");
  expect(unnamed).not.toBe(getRefusalText(buildRefused("internal")));
  expect(getRefusalText({ ...buildRefused("not_holder"), holder: "Ann" })).toBe(named);
});

it("a chat refusal about a finished thread differs by the status in which the thread ended", () => {
  const getEnding = (status: string) => getRefusalText(buildRefused("thread_finished", { status }));
  const endings = ["completed", "cancelled", "expired", "declined", "failed", "of another kind"];

  expect(new Set(endings.map(getEnding)).size).toBe(endings.length);
  expect(getEnding("of yet another kind")).toBe(getEnding("of another kind"));
});

it("every refusal has one plain sentence for chats, without internal terms", () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const text = getRefusalText(buildRefused(code));
    expect(text).toMatch(/^[A-Z][^@_{}]+[.!]$/);
    expect(text.length).toBeLessThanOrEqual(200);
  }
  expect(getRefusalText(buildRefused("unknown_executor"))).toBe(UNKNOWN_SENDER_TEXT);
});

it("a chat receipt has a different sentence for each result", () => {
  const result = { ref: "r", intent: "i", status: "claimed", isDuplicate: false };
  const passedOn = getReceiptText(result, "message");
  const receipts = [
    getReceiptText(result, "claimed"),
    getReceiptText({ ...result, isDuplicate: true }, "claimed"),
    getReceiptText(result, "declined"),
    getReceiptText({ ...result, status: "cancelled" }, "cancel"),
    getReceiptText({ ...result, status: "completed" }, "completed"),
    getReceiptText({ ...result, status: "needs_input" }, "message"),
    passedOn,
  ];

  expect(new Set(receipts).size).toBe(receipts.length);
  for (const text of receipts) expect(text).toMatch(/^[A-Z][^@_{}]+[.!]$/);
  // A requestor answers questions and asks none.
  expect(getReceiptText({ ...result, status: "needs_input", asRequestor: true }, "message")).toBe(
    passedOn,
  );
});
