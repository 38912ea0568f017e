import { describe, expect, it } from "vitest";
import { namesLimit } from "../../support/message-text-places.ts";
import { LIMITS } from "../../../src/mess/limits.ts";
import { MESSAGE_TYPES } from "../../../src/mess/wire/schema.ts";
import { type ParseOptions, parseMessages } from "../../../src/mess/wire/parse.ts";

const only = (text: string) => {
  const parsed = parseMessages(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  const [block] = parsed.value[0]?.blocks ?? [];
  if (block === undefined) throw new Error("no block was read");
  return block;
};
const refusal = (text: string, options: ParseOptions = {}) => {
  const parsed = parseMessages(text, options);
  return parsed.ok ? { messages: parsed.value } : parsed.error;
};

describe("a fault", () => {
  it("of each field is told at once, with path, place and hint", () => {
    const text = `MESS:
  - request:
      intent: look
      priority: high
      needed_by: soon
  - status:
      re: lamp
      code: dreaming
  - response:
      re: lamp
      content:
        - fine
        - image: {}
`;
    const error = refusal(text);
    const all = "more" in error ? [error, ...(error.more ?? [])] : [];
    expect(all).toMatchObject([
      {
        code: "bad_field",
        path: "MESS[0].request.priority",
        line: 4,
        column: 7,
        valid: expect.arrayContaining(["urgent"]),
      },
      { code: "bad_time", path: "MESS[0].request.needed_by", line: 5, column: 7 },
      { code: "bad_field", path: "MESS[1].status.code", line: 8, column: 7 },
      { code: "bad_attachment", path: "MESS[2].response.content[1].image", line: 13, column: 11 },
    ]);
  });

  it("of a field that is too long has its place and its limit", () => {
    const spaces = " ".repeat(2_000);
    const text = `MESS:
  - request:
      intent: look
      needed_by: "2031-01-01${spaces}x"
      constraints:
        timing: {valid_for: "1w${spaces}x"}
  - status:
      re: lamp
      code: "in${spaces}progress"
      progress_pct: "4${spaces}0"
  - response:
      re: lamp
      content:
        - image: {uri: "https://a.example/b.jpg", mime: "image/${"j".repeat(2_000)}"}
`;
    const error = refusal(text);
    const all = "more" in error ? [error, ...(error.more ?? [])] : [];

    expect(all).toMatchObject([
      {
        code: "bad_duration",
        path: "MESS[0].request.constraints.timing.valid_for",
        line: 6,
        hint: namesLimit(LIMITS.durationChars),
      },
      {
        code: "bad_time",
        path: "MESS[0].request.needed_by",
        line: 4,
        hint: namesLimit(LIMITS.timeChars),
      },
      {
        code: "bad_field",
        path: "MESS[1].status.code",
        line: 9,
        hint: namesLimit(LIMITS.statusChars),
      },
      {
        code: "bad_field",
        path: "MESS[1].status.progress_pct",
        line: 10,
        hint: namesLimit(LIMITS.numberChars),
      },
      {
        code: "bad_field",
        path: "MESS[2].response.content[0].image.mime",
        line: 14,
        hint: namesLimit(LIMITS.mimeTypeChars),
      },
    ]);
  });

  it("stands in the right document", () => {
    expect(refusal("request: look\n---\nrequest:\n  id: x")).toMatchObject({
      code: "missing_field",
      path: "request.intent",
      line: 3,
    });
  });

  it("is one of ten at most, the others are counted", () => {
    const error = refusal(`MESS:\n${"- request: {}\n".repeat(13)}`);
    // Three of the thirteen are only counted.
    expect(error).toMatchObject({ message: expect.stringMatching(/\b3\b/) });
    expect("more" in error && error.more).toHaveLength(LIMITS.reportedErrors - 1);
  });

  it.each([
    ["reqest: {intent: look}", "request"],
    ["MESS: [{statuss: claimed}]", "status"],
    ["MESS: [{respnse: on}]", "response"],
  ])("the hint for the unknown type in %j names %s", (text, meant) => {
    expect(refusal(text)).toMatchObject({
      code: "unknown_type",
      hint: expect.stringMatching(new RegExp(`\\b${meant}\\b`)),
      valid: expect.arrayContaining(["request", "status", "response"]),
    });
  });

  it("the hint for a type that is like no other names no type, which are listed beside it", () => {
    const error = refusal("elephant: {}");

    expect(error).toMatchObject({ code: "unknown_type", hint: expect.stringMatching(/\w/) });
    expect("valid" in error && error.valid).toEqual([...MESSAGE_TYPES]);
    const named = MESSAGE_TYPES.filter(
      (type) => "hint" in error && error.hint.split(/\W/).includes(type),
    );
    expect(named).toEqual([]);
  });

  it.each([
    ["a payload beside MESS", "MESS:\n- status: claimed\nresponse: on"],
    ["a list in the list", "- [request, look]"],
    [
      "a thread file",
      "ref: 2031-01-01-001\nrequestor: a\nstatus: pending\nintent: look\nhistory: []",
    ],
  ])("of shape is %s", (_what, text) => {
    expect(refusal(text)).toMatchObject({ code: "bad_shape" });
  });
});

describe("a small text that would be much work is refused:", () => {
  it.each([
    ["too many payloads", `MESS:\n${"- cancel: a\n".repeat(65)}`],
    ["too many payloads over documents", "---\n- cancel: a\n- cancel: a\n".repeat(33)],
    [
      "too many messages",
      `MESS: [${["a", "b", "c"].map((set) => `{cancel: [${Array.from({ length: 30 }, (_, n) => `${set}${n}`).join(", ")}]}`).join(", ")}]`,
    ],
    ["too many requests", `MESS:\n${"- request: look\n".repeat(33)}`],
    [
      "too many files over payloads",
      `re: a\nMESS:\n${"- followup: [{image: https://a.example}, {image: https://a.example}]\n".repeat(11)}`,
    ],
    [
      "a message over 1 MB without attachments",
      JSON.stringify({
        re: "a",
        response: { content: [{ json: { scan: "QUJD".repeat(300_000) } }] },
      }),
    ],
  ])("%s", (_what, text) => {
    expect(refusal(text)).toMatchObject({ code: "too_large" });
  });

  it("but 3 MB of images is no large message", () => {
    const image = `data:image/png;base64,${"QUJD".repeat(190_000)}`;
    const content = Array.from({ length: 4 }, () => ({ image }));
    expect(only(JSON.stringify({ re: "a", response: { content } })).type).toBe("response");
  });
});
