import { expect, it } from "vitest";
import {
  receiptWords,
  refusalWords,
  STRANGER,
} from "../../../../src/channels/replies/reply-texts.ts";
import { ERRORS, type ErrorCode, refuse } from "../../../../src/mess/errors.ts";

const refused = (code: ErrorCode, more = {}) =>
  refuse(code, "internal words of ann@example.com", "POST /mess again", more).error;

it("a chat refusal names the member who holds the thread, where it is known", () => {
  const named = refusalWords(refused("already_claimed"), "Ann");
  const unnamed = refusalWords(refused("not_holder"), undefined);

  expect(named).toContain("Ann");
  expect(unnamed).not.toBe(refusalWords(refused("internal"), undefined));
  expect(refusalWords(refused("not_holder"), "Ann")).toBe(named);
});

it("a chat refusal about a finished thread differs by the status in which the thread ended", () => {
  const words = (status: string) => refusalWords(refused("thread_finished", { status }), undefined);
  const endings = ["completed", "cancelled", "expired", "declined", "failed", "of another kind"];

  expect(new Set(endings.map(words)).size).toBe(endings.length);
  expect(words("of yet another kind")).toBe(words("of another kind"));
});

it("every refusal has one plain sentence for chats, without internal words", () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const words = refusalWords(refused(code), undefined);
    expect(words).toMatch(/^[A-Z][^@_{}]+[.!]$/);
    expect(words.length).toBeLessThanOrEqual(200);
  }
  expect(refusalWords(refused("unknown_executor"), undefined)).toBe(STRANGER);
});

it("a chat receipt has a sentence of its own for each result", () => {
  const heard = { ref: "r", intent: "i", status: "claimed", again: false };
  const passedOn = receiptWords(heard, "say");
  const receipts = [
    receiptWords(heard, "claimed"),
    receiptWords({ ...heard, again: true }, "claimed"),
    receiptWords(heard, "declined"),
    receiptWords({ ...heard, status: "cancelled" }, "cancel"),
    receiptWords({ ...heard, status: "completed" }, "completed"),
    receiptWords({ ...heard, status: "needs_input" }, "say"),
    passedOn,
  ];

  expect(new Set(receipts).size).toBe(receipts.length);
  for (const words of receipts) expect(words).toMatch(/^[A-Z][^@_{}]+[.!]$/);
  // Whoever asked answers a question and poses none.
  expect(receiptWords({ ...heard, status: "needs_input", asks: true }, "say")).toBe(passedOn);
});
