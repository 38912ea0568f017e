import { expect, it } from "vitest";
import {
  receiptWords,
  refusalWords,
  STRANGER,
} from "../../../../src/channels/replies/reply-texts.ts";
import { ERRORS, type ErrorCode, refuse } from "../../../../src/mess/errors.ts";

const refused = (code: ErrorCode, more = {}) =>
  refuse(code, "internal words of ann@example.com", "POST /mess again", more).error;

it("names who has it", () => {
  expect(refusalWords(refused("already_claimed"), "Ann")).toBe("Ann has it already.");
  expect(refusalWords(refused("not_holder"), undefined)).toBe("Somebody else has it already.");
});

it("tells how a thread ended", () => {
  const words = (status: string) => refusalWords(refused("thread_finished", { status }), undefined);

  expect(words("completed")).toContain("done already");
  expect(words("cancelled")).toContain("called off");
  expect(words("of another kind")).toContain("has ended");
});

it("has a plain sentence for every refusal, without its inner words", () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const words = refusalWords(refused(code), undefined);
    expect(words).toMatch(/^[A-Z][^@_{}]+[.!]$/);
    expect(words.length).toBeLessThanOrEqual(200);
  }
  expect(refusalWords(refused("unknown_executor"), undefined)).toBe(STRANGER);
});

it("says what became of it", () => {
  const heard = { ref: "r", intent: "i", status: "claimed", again: false };

  expect(receiptWords(heard, "claimed")).toContain("yours");
  expect(receiptWords({ ...heard, again: true }, "claimed")).toContain("already");
  expect(receiptWords({ ...heard, status: "needs_input" }, "say")).toContain("question");
  expect(receiptWords({ ...heard, status: "needs_input", asks: true }, "say")).toMatch(
    /^Passed on/,
  );
});
