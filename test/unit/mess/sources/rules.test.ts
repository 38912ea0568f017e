import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { containsWord, foldText } from "../../../../src/mess/sources/fold-text.ts";
import {
  type ClassifierRule,
  classifierRuleSchema,
  matchRules,
} from "../../../../src/mess/sources/rules.ts";

const message = {
  source: "mail",
  sender: "Ann@News.Example.com",
  subject: "Rechnung für die STRASSE 5",
  body: "Bitte zahlen Sie 40 €. 東京の会議は明日です。",
  headers: [["List-ID", "Weekly news <weekly.example.com>"]] as const,
};

const match = (rule: Omit<ClassifierRule, "tier">, about: Partial<typeof message> = {}): boolean =>
  matchRules([{ ...rule, tier: "IGNORE" }], { ...message, ...about }) !== undefined;

describe("matchRules", () => {
  it.each<[string, Omit<ClassifierRule, "tier">, boolean]>([
    ["the sender in another case", { sender: "ann@news.example.COM" }, true],
    ["another sender", { sender: "ann@example.com" }, false],
    ["a part of the sender", { sender: "ann" }, false],
    ["the domain", { domain: "news.example.com" }, true],
    ["a domain above it", { domain: "example.com" }, true],
    ["a domain with an at sign", { domain: "@Example.com" }, true],
    ["a domain that only ends alike", { domain: "ample.com" }, false],
    ["a domain below it", { domain: "a.news.example.com" }, false],
    ["a word of the subject", { words: ["rechnung"] }, true],
    ["a word with ß in place of SS", { words: ["Straße"] }, true],
    ["a part of a word", { words: ["rech"] }, false],
    ["words of subject and body", { words: ["Rechnung", "zahlen"] }, true],
    ["a word that is missing", { words: ["Rechnung", "Mahnung"] }, false],
    ["several words in their order", { words: ["bitte  zahlen"] }, true],
    ["a word of a script without spaces", { words: ["会議"] }, true],
    ["the mailing list", { list: "weekly.example.com" }, true],
    ["the mailing list with its description", { list: "News <WEEKLY.example.com>" }, true],
    ["another mailing list", { list: "example.com" }, false],
    ["the source", { source: "mail" }, true],
    ["another source", { source: "alerts" }, false],
    ["all conditions but one", { source: "mail", domain: "example.com", words: ["no"] }, false],
  ])("decides for %s", (_name, rule, expected) => {
    expect(match(rule)).toBe(expected);
  });

  it("does not match a list rule on a message without a list", () => {
    expect(match({ list: "<>" }, { headers: [] as never })).toBe(false);
  });

  it("lets the first rule that matches decide", () => {
    const rules: ClassifierRule[] = [
      { sender: "bob@example.com", tier: "NOTIFY" },
      { domain: "example.com", tier: "DECLINE" },
      { source: "mail", tier: "IGNORE" },
    ];
    expect(matchRules(rules, message)?.tier).toBe("DECLINE");
    expect(matchRules([], message)).toBeUndefined();
  });

  it("finds every word of a text, and none that is only a part of one", () => {
    const word = fc.stringMatching(/^[a-zäöüéß]{1,8}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), word, (words, other) => {
        const text = foldText(words.join(" "));
        const folded = words.map(foldText);
        for (const each of folded) expect(containsWord(text, each)).toBe(true);
        expect(containsWord(text, foldText(other))).toBe(folded.includes(foldText(other)));
      }),
    );
  });

  it("folds a text to the same as its upper and its lower case", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic} ]*$/u),
        (text) => {
          const folded = foldText(text);
          expect(foldText(folded)).toBe(folded);
          expect(foldText(text.toUpperCase())).toBe(folded);
        },
      ),
    );
  });

  it("takes 500 rules over a long body in less than two seconds", () => {
    const words = Array.from({ length: 20 }, (_, n) => `${"a".repeat(90)}${n}`);
    const rules = Array.from({ length: 500 }, () => ({ words, tier: "IGNORE" as const }));
    const begin = performance.now();
    matchRules(rules, { ...message, body: "a".repeat(200_000) });
    expect(performance.now() - begin).toBeLessThan(2_000);
  });
});

describe("classifierRuleSchema", () => {
  it("accepts a rule with a condition", () => {
    expect(classifierRuleSchema.safeParse({ domain: "a.test", tier: "IGNORE" }).success).toBe(true);
  });

  it.each([
    ["without a condition", { tier: "IGNORE" }],
    ["with an empty condition", { sender: "  ", tier: "IGNORE" }],
    ["without words", { words: [], tier: "IGNORE" }],
    ["with an unknown tier", { sender: "a@b.test", tier: "SPAM" }],
    ["with an unknown key", { sender: "a@b.test", subject: "x", tier: "IGNORE" }],
    ["with a reserved name as its source", { source: "ctl", tier: "IGNORE" }],
  ])("refuses a rule %s", (_name, rule) => {
    expect(classifierRuleSchema.safeParse(rule).success).toBe(false);
  });
});
