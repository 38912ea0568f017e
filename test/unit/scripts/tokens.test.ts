import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../scripts/lib/tokens.ts";

describe("the estimate of tokens", () => {
  it.each([
    ["the cat sat", 3],
    ["extraordinary", 3],
    ["2026", 2],
    ['{"a":1}', 5],
    ["日本", 2],
    ["", 0],
  ])("the estimate of tokens counts words, digits and signs: %j is %i", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });
});
