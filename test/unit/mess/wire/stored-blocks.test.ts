/** Stored blocks. The conformance cases cover the possible bodies. */
import { expect, it } from "vitest";
import { readBlocks, messageToMess } from "../../../../src/mess/wire/message.ts";
import { parseMessages } from "../../../../src/mess/wire/parse.ts";

it("a stored list is read with its acks, and without unreadable blocks", () => {
  expect(
    readBlocks([
      { v: "1.0.0" },
      { ack: { re: "lamp", ref: "2031-01-01-001-lamp" } },
      { status: { code: "dreaming" } },
      { poem: { lines: 4 } },
      { response: { re: "lamp", content: ["on"] } },
    ]),
  ).toEqual([
    { type: "ack", body: { re: "lamp", ref: "2031-01-01-001-lamp" } },
    { type: "response", body: { content: ["on"] } },
  ]);
});

it("a stored list has the version first, and no target", () => {
  const parsed = parseMessages("v: 1.1.0\nre: lamp\nMESS: [{status: claimed}, {response: on}]");
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));

  expect(parsed.value.map(messageToMess)).toEqual([
    [{ v: "1.1.0" }, { status: { code: "claimed" } }, { response: { content: ["on"] } }],
  ]);
});
