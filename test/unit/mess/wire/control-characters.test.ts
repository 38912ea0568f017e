import { describe, expect, it } from "vitest";
import { convertResult } from "../../../../src/channels/mcp/result-messages.ts";
import { checkMessages, parseMessages } from "../../../../src/mess/wire/parse.ts";

describe("control characters that a body writes as escapes", () => {
  it.each([
    ["in JSON", String.raw`{"MESS": [{"request": {"intent": "water\u0000 plants"}}]}`],
    ["in a form feed of JSON", String.raw`{"MESS": [{"request": {"intent": "a\fb"}}]}`],
    ["in YAML", String.raw`MESS: [{request: {intent: "water\0 plants"}}]`],
    [
      "in an entry",
      String.raw`{"MESS": [{"request": {"intent": "x", "context": [{"text": "a\u001bb"}]}}]}`,
    ],
    ["in a key", String.raw`{"MESS": [{"request": {"intent": "x", "extra": {"a\u0000": 1}}}]}`],
  ])("a text with a control character %s is refused with its place", (_where, text) => {
    expect(parseMessages(text)).toMatchObject({
      ok: false,
      error: { code: "bad_encoding", path: expect.stringContaining("MESS[0]"), line: 1 },
    });
  });

  it("a message that a program built with a control character is refused", () => {
    const body = { intent: "water\0 plants" };

    expect(checkMessages([{ blocks: [{ type: "request", body }] }])).toMatchObject({
      ok: false,
      error: { code: "bad_encoding" },
    });
  });

  it("tabs and line ends are accepted", () => {
    expect(parseMessages(String.raw`{"MESS": [{"request": {"intent": "a\tb\r\nc"}}]}`).ok).toBe(
      true,
    );
  });

  it("the control characters in a tool's output are removed", () => {
    const output = { content: [{ type: "text", text: "\u001b[32mdone\u001b[0m\0" }] };

    const { reply } = convertResult(output, "2026-05-04-001");

    expect(reply[0]?.blocks[0]).toMatchObject({ body: { content: [{ text: "[32mdone[0m" }] } });
    expect(checkMessages([{ re: "2026-05-04-001", ...reply[0]! }]).ok).toBe(true);
  });
});
