import { describe, expect, it } from "vitest";
import { expectLimitNamed } from "../../../support/generators/message-text-places.ts";
import { LIMITS } from "../../../../src/mess/limits.ts";
import { MESSAGE_TYPES } from "../../../../src/mess/wire/schema.ts";
import { parseMessages } from "../../../../src/mess/wire/parse.ts";

const readRefusal = (text: string) => {
  const parsed = parseMessages(text);
  return parsed.ok ? { messages: parsed.value } : parsed.error;
};

describe("parseMessages", () => {
  it("every field that is too long is reported with its path and its limit", () => {
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
    const error = readRefusal(text);
    const all = "more" in error ? [error, ...(error.more ?? [])] : [];

    expect(all).toMatchObject([
      {
        code: "bad_duration",
        path: "MESS[0].request.constraints.timing.valid_for",
        line: 6,
        hint: expectLimitNamed(LIMITS.durationChars),
      },
      {
        code: "bad_time",
        path: "MESS[0].request.needed_by",
        line: 4,
        hint: expectLimitNamed(LIMITS.timeChars),
      },
      {
        code: "bad_field",
        path: "MESS[1].status.code",
        line: 9,
        hint: expectLimitNamed(LIMITS.statusChars),
      },
      {
        code: "bad_field",
        path: "MESS[1].status.progress_pct",
        line: 10,
        hint: expectLimitNamed(LIMITS.numberChars),
      },
      {
        code: "bad_field",
        path: "MESS[2].response.content[0].image.mime",
        line: 14,
        hint: expectLimitNamed(LIMITS.mimeTypeChars),
      },
    ]);
  });

  it("at most ten errors are reported, and the others are counted", () => {
    const error = readRefusal(`MESS:\n${"- request: {}\n".repeat(13)}`);
    // Three of the thirteen errors are only counted.
    expect(error).toMatchObject({ message: expect.stringMatching(/\b3\b/) });
    expect("more" in error && error.more).toHaveLength(LIMITS.reportedErrors - 1);
  });

  it.each([
    ["reqest: {intent: look}", "request"],
    ["MESS: [{statuss: claimed}]", "status"],
    ["MESS: [{respnse: on}]", "response"],
  ])("the hint for the unknown type in %j names %s", (text, meant) => {
    expect(readRefusal(text)).toMatchObject({
      code: "unknown_type",
      hint: expect.stringMatching(new RegExp(`\\b${meant}\\b`)),
      valid: expect.arrayContaining(["request", "status", "response"]),
    });
  });

  it("the hint for a type that resembles no other names no type, and all types are listed", () => {
    const error = readRefusal("elephant: {}");

    expect(error).toMatchObject({ code: "unknown_type", hint: expect.stringMatching(/\w/) });
    expect("valid" in error && error.valid).toEqual([...MESSAGE_TYPES]);
    const named = MESSAGE_TYPES.filter(
      (type) => "hint" in error && error.hint.split(/\W/).includes(type),
    );
    expect(named).toEqual([]);
  });

  it("a message list that expands to more than 64 messages is too large", () => {
    const listTargets = (set: string) =>
      Array.from({ length: 30 }, (_, n) => `${set}${n}`).join(", ");
    const lists = ["a", "b", "c"].map((set) => `{cancel: [${listTargets(set)}]}`);

    expect(readRefusal(`MESS: [${lists.join(", ")}]`)).toMatchObject({ code: "too_large" });
  });
});
