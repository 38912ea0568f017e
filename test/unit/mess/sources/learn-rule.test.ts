import { describe, expect, it } from "vitest";
import {
  addLearnedRule,
  type Correction,
  learnRule,
} from "../../../../src/mess/sources/learn-rule.ts";
import type { ClassifierRule } from "../../../../src/mess/sources/rules.ts";
import { SOURCE_LIMITS } from "../../../../src/mess/sources/vocabulary.ts";

const correct = (message: string, change: Partial<Correction> = {}): Correction => ({
  source: "mail",
  message,
  sender: "ann@example.com",
  tier: "NOTIFY",
  ...change,
});

describe("learnRule", () => {
  it("makes a rule of the second equal correction of a sender", () => {
    const rule = learnRule([correct("m1", { sender: "Ann@Example.com" })], correct("m2"));
    expect(rule).toMatchObject({ sender: "ann@example.com", tier: "NOTIFY" });
  });

  it("makes a rule about the mailing list rather than its sender", () => {
    const list = "<weekly.example.com>";
    const earlier = [correct("m1", { sender: "bob@example.com", list, tier: "IGNORE" })];
    const rule = learnRule(earlier, correct("m2", { list, tier: "IGNORE" }));
    expect(rule).toMatchObject({ list, tier: "IGNORE" });
    expect(rule).not.toHaveProperty("sender");
  });

  it.each<[string, Correction[]]>([
    ["the first correction", []],
    ["a second correction of the same message", [correct("m2")]],
    ["a correction of another sender", [correct("m1", { sender: "bob@example.com" })]],
    ["an earlier correction to another tier", [correct("m0"), correct("m1", { tier: "IGNORE" })]],
    ["an earlier one of a list", [correct("m1", { list: "<weekly.example.com>" })]],
  ])("makes no rule of %s", (_name, earlier) => {
    expect(learnRule(earlier, correct("m2"))).toBeUndefined();
  });
});

describe("addLearnedRule", () => {
  const learned: ClassifierRule = { sender: "ann@example.com", tier: "NOTIFY" };

  it("puts the rule first, in place of one with the same condition", () => {
    const others: ClassifierRule[] = [
      { domain: "example.com", tier: "IGNORE" },
      { sender: "Ann@example.com", tier: "DEFER" },
      { sender: "ann@example.com", words: ["ball"], tier: "DEFER" },
    ];
    expect(addLearnedRule(others, learned)).toEqual([learned, others[0], others[2]]);
  });

  it("drops no rule of the owner where there are as many as possible", () => {
    const full = Array.from({ length: SOURCE_LIMITS.rules }, (_, n) => ({
      sender: `${n}@example.com`,
      tier: "DEFER" as const,
    }));
    expect(addLearnedRule(full, learned)).toEqual(full);
  });
});
