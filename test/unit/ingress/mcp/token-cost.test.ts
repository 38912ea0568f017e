import { describe, expect, it } from "vitest";
import { budgets, measure } from "../../../../scripts/lib/token-cost.ts";
import { estimateTokens } from "../../../../scripts/lib/tokens.ts";

describe("the cost of the MCP server to an agent", () => {
  it.each(budgets.map((budget) => [budget.what, budget] as const))(
    "stays within its budget: %s",
    (_what, { name, most }) => {
      const cost = measure()[name];

      expect(cost).toBeGreaterThan(0);
      expect(cost).toBeLessThanOrEqual(most);
    },
  );
});

describe("the estimate", () => {
  it.each([
    ["the cat sat", 3],
    ["extraordinary", 3],
    ["2026", 2],
    ['{"a":1}', 5],
    ["日本", 2],
    ["", 0],
  ])("counts words, digits, signs: %j is %i", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });
});
