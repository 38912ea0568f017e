import { expect, it } from "vitest";
import type { Heard, InboundAct } from "../../../../src/channels/chat-event.ts";
import { receiptWords } from "../../../../src/channels/replies/reply-texts.ts";
import { spokenReceipt } from "../../../../src/channels/replies/guessed-task-receipt.ts";

const HEARD: Heard = { ref: "r", intent: "look for\nthe keys", status: "pending", again: false };
const MINE = { status: "claimed", holds: true } as const;
const ASKS = { asks: true } as const;

it.each<[string, Partial<Heard>, InboundAct]>([
  ["under the sofa", MINE, "say"],
  ["done", { status: "completed" }, "completed"],
  ["no", {}, "declined"],
  ["which?", { status: "needs_input" }, "say"],
  ["call off", { status: "cancelled", ...ASKS }, "say"],
  ["yes", { status: "in_progress", ...ASKS }, "say"],
  ["no", { status: "held", ...ASKS }, "say"],
  ["no", ASKS, "declined"],
])("the receipt for %j in %o is the one of %s, and names the task", (text, more, act) => {
  const heard = { ...HEARD, ...more };

  const words = spokenReceipt(heard, text);

  expect(words).toContain("look for the keys");
  expect(words.replace(": look for the keys", "")).toBe(receiptWords(heard, act));
});

it("the receipt for taking a task names it and the word that ends it, also when it comes again", () => {
  const words = spokenReceipt({ ...HEARD, ...MINE }, "ok");

  expect(words).toContain("look for the keys");
  expect(words).toMatch(/\bDONE\b/);
  expect(spokenReceipt({ ...HEARD, ...MINE, again: true }, "ok")).toBe(words);
});

it("the receipt fits into one SMS, however long the task is", () => {
  const words = spokenReceipt({ ...HEARD, ...MINE, intent: "look ".repeat(100) }, "1");
  expect(words.length).toBeLessThanOrEqual(160);
  expect(words).toContain("lo...");
});
