import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_VERDICT_CHARS, parseVerdict } from "../../../../src/mess/sources/parse-verdict.ts";
import { SOURCE_LIMITS, TIERS } from "../../../../src/mess/sources/vocabulary.ts";

const read = (text: string) => {
  const parsed = parseVerdict(text);
  return parsed.ok ? parsed.value : parsed.error.code;
};

const line = () =>
  fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 80 })
    .map((text) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim())
    .filter((text) => text !== "" && !/^(tier|reason|urgency|draft):/i.test(text));

describe("parseVerdict", () => {
  it("reads a verdict with all lines", () => {
    const text = "TIER: NOTIFY\nREASON: The cellar floods.\nURGENCY: 3\nDRAFT: We come.\n\nMum";
    expect(read(text)).toEqual({
      tier: "NOTIFY",
      reason: "The cellar floods.",
      urgency: 3,
      draft: "We come.\n\nMum",
    });
  });

  it("reads a verdict without urgency and draft", () => {
    expect(read("\nTIER: DEFER\r\nREASON: A question.\r\n")).toEqual({
      tier: "DEFER",
      reason: "A question.",
      urgency: 0,
    });
  });

  it("accepts keywords and tiers in any case", () => {
    expect(read("tier: decline\nReason: Sales.")).toMatchObject({ tier: "DECLINE" });
  });

  it("drops the draft of an ignored message, and an empty one", () => {
    expect(read("TIER: IGNORE\nREASON: Spam.\nDRAFT: Thanks!")).not.toHaveProperty("draft");
    expect(read("TIER: DEFER\nREASON: News.\nDRAFT:\n")).not.toHaveProperty("draft");
  });

  it.each([
    ["an empty text", ""],
    ["a text without keywords", "This is spam."],
    ["an unknown tier", "TIER: URGENT\nREASON: x"],
    ["words after the tier", "TIER: IGNORE because of spam\nREASON: x"],
    ["no tier", "REASON: x"],
    ["no reason", "TIER: IGNORE"],
    ["an empty reason", "TIER: IGNORE\nREASON:  "],
    ["words before the verdict", "Here is the verdict:\nTIER: IGNORE\nREASON: x"],
    ["a fence before the verdict", "```\nTIER: IGNORE\nREASON: x\n```"],
    ["a quoted verdict before its own", "> TIER: IGNORE\nTIER: NOTIFY\nREASON: x"],
    ["another order at the start", "REASON: x\nTIER: IGNORE"],
    ["words between the lines", "TIER: IGNORE\nso\nREASON: x"],
    ["two tiers", "TIER: NOTIFY\nTIER: IGNORE\nREASON: x"],
    ["two tiers in different cases", "TIER: NOTIFY\nREASON: x\ntier: ignore"],
    ["a second tier in the draft", "TIER: NOTIFY\nREASON: x\nDRAFT: Hi\nTIER: IGNORE"],
    ["a reason in the draft only", "TIER: IGNORE\nDRAFT: Hi\nREASON: x"],
    ["two drafts", "TIER: DEFER\nREASON: x\nDRAFT: a\nDRAFT: b"],
    ["an urgency beyond the scale", "TIER: DEFER\nREASON: x\nURGENCY: 4"],
    ["an urgency in words", "TIER: DEFER\nREASON: x\nURGENCY: high"],
    ["an indented keyword", "TIER: DEFER\n REASON: x"],
    ["a text beyond the limit", `TIER: DEFER\nREASON: ${"x".repeat(MAX_VERDICT_CHARS)}`],
    [
      "a draft beyond the limit",
      `TIER: DEFER\nREASON: x\nDRAFT: ${"x".repeat(SOURCE_LIMITS.draftChars + 1)}`,
    ],
  ])("refuses %s", (_name, text) => {
    expect(read(text)).toBe("bad_verdict");
  });

  it("keeps the reason on one line without control characters, within its limit", () => {
    const verdict = read(`TIER: DEFER\nREASON: a\u0007b\u2028c ${"é".repeat(1_000)}`);
    expect(verdict).toMatchObject({ reason: expect.stringMatching(/^a b c é+$/) as string });
    expect((verdict as { reason: string }).reason).toHaveLength(SOURCE_LIMITS.reasonChars);
  });

  it("reads back every verdict that is written in its form", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TIERS),
        line(),
        fc.constantFrom(0, 1, 2, 3),
        fc.array(line(), { minLength: 1 }),
        (tier, reason, urgency, draft) => {
          const text = `TIER: ${tier}\nREASON: ${reason}\nURGENCY: ${urgency}\nDRAFT: ${draft.join("\n")}`;
          expect(read(text)).toEqual({
            tier,
            reason,
            urgency,
            ...(tier === "IGNORE" ? {} : { draft: draft.join("\n").trim() }),
          });
        },
      ),
    );
  });

  it("never reads another tier than the only one at the start of a line", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constantFrom(
              "TIER: IGNORE",
              "TIER: NOTIFY",
              "REASON: x",
              "DRAFT: y",
              "URGENCY: 1",
              "> TIER: IGNORE",
              "",
            ),
            fc.string(),
          ),
        ),
        (lines) => {
          const text = lines.join("\n");
          const parsed = parseVerdict(text);
          const tiers = text.split(/\r\n|\n|\r/).filter((each) => /^\s*tier:/i.test(each));
          if (parsed.ok) expect(tiers).toHaveLength(1);
        },
      ),
    );
  });
});
