import { expect, it } from "vitest";
import type { Heard } from "../../../../src/channels/chat-event.ts";
import { spokenReceipt } from "../../../../src/channels/replies/guessed-task-receipt.ts";

const HEARD: Heard = { ref: "r", intent: "look for\nthe keys", status: "pending", again: false };
const MINE = { status: "claimed", holds: true } as const;
const ASKS = { asks: true } as const;

it.each<[string, Partial<Heard>, string]>([
  ["ok", MINE, "Taken: look for the keys. Send a photo or words as the answer, then DONE."],
  ["ok", { ...MINE, again: true }, "Taken: look for the keys. Send a photo or words as the"],
  ["under the sofa", MINE, "Passed on: look for the keys. Thank you!"],
  ["done", { status: "completed" }, "Done: look for the keys. Thank you!"],
  ["no", {}, "All right, you are left out: look for the keys."],
  ["which?", { status: "needs_input" }, "Your question was passed on: look for the keys."],
  ["call off", { status: "cancelled", ...ASKS }, "It is called off: look for the keys."],
  ["yes", { status: "in_progress", ...ASKS }, "Passed on: look for the keys. Thank you!"],
  ["no", { status: "held", ...ASKS }, "Passed on: look for the keys. Thank you!"],
  ["no", ASKS, "All right, you are left out: look for the keys."],
])("%s, %o", (text, more, words) => {
  expect(spokenReceipt({ ...HEARD, ...more }, text)).toContain(words);
});

it("is one SMS, however long the task", () => {
  const words = spokenReceipt({ ...HEARD, ...MINE, intent: "look ".repeat(100) }, "1");
  expect(words.length).toBeLessThanOrEqual(160);
  expect(words).toContain("lo...");
});
