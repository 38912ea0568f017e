import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createFreshHousehold,
  indexSummaries,
  listThreadsOf,
  listRefs,
  buildSummary,
  watchDatabase,
} from "./support.ts";

const searchRefs = async (household: string, q: string): Promise<string[]> =>
  listRefs(await listThreadsOf(household, { q }));

describe("search", () => {
  it.each([
    ["a word in another case", "BASIL", true],
    ["a word without its accents", "jalapeno", true],
    ["a word with accents that the text lacks", "básil", true],
    ["the beginning of the last word", "water bas", true],
    ["the beginning of another word", "wat basil", false],
    ["all words in any order", "basil water", true],
    ["a word that is missing", "basil parsley", false],
    ["a number", "42", true],
    ["a word of a script without spaces", "牛乳", true],
    ["its characters in another order", "乳牛", false],
    ["Cyrillic", "молоко", true],
    ["the middle of a word", "asil", false],
  ])("a search by %s finds the right threads: %s", async (_name, q, expected) => {
    const household = createFreshHousehold();
    await indexSummaries(
      buildSummary(household, "t1", {
        text: "Water the basil and the jalapeño,\n42 pots; 冷蔵庫に牛乳はありますか Молоко?",
      }),
    );

    expect(await searchRefs(household, q)).toEqual(expected ? ["t1"] : []);
  });

  it.each([
    '"',
    '""',
    'basil"',
    "basil OR mint",
    "NOT basil",
    "basil NEAR/3 mint",
    "words:basil",
    "search",
    "*",
    "bas*il",
    "(basil",
    "basil)",
    "{words}: basil",
    "-basil",
    "^basil",
    "basil + mint",
    "'; DROP TABLE threads; --",
    "%_",
    "\\",
    "\0",
    "basil\0mint",
    "?1 ?2",
    "\u{d800}",
    "😀",
    "\u202e",
    "a ".repeat(5_000),
    "x".repeat(50_000),
  ])("a search treats %j as words, never as an expression", async (q) => {
    const household = createFreshHousehold();
    const bystander = createFreshHousehold();
    await indexSummaries(
      buildSummary(household, "t1"),
      buildSummary(bystander, "t2", { text: "mint or not" }),
    );

    const refs = await searchRefs(household, q);

    expect(refs).not.toContain("t2");
    expect(await searchRefs(household, "basil")).toEqual(["t1"]);
  });

  it("a search accepts any text", async () => {
    const household = createFreshHousehold();
    await indexSummaries(buildSummary(household, "t1"));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string()),
        async (q) => {
          expect((await listThreadsOf(household, { q })).threads.length).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("a search finds every text by its words", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
        async (text) => {
          // Some letters are an accent on a space when they are decomposed: these are no words.
          fc.pre(/[\p{L}\p{N}]/u.test(text.normalize("NFKD")));
          const household = createFreshHousehold();
          await indexSummaries(buildSummary(household, "t1", { text }));
          expect(await searchRefs(household, text)).toEqual(["t1"]);
        },
      ),
      { numRuns: 60, examples: [["a\ufe74b"], ["\ufe74 \ufe75"], ["ﾊﾞｽ"], ["𝚨Σ ΑΣ"]] },
    );
  });

  it.each([
    ["signs", "!?"],
    ["an accent in the form of an Arabic letter", "\ufe74"],
    ["an accent in the form of a Greek letter", "\u037a"],
    ["an accent in the form of a Japanese letter", "\uff9e"],
  ])(
    "a search by %s alone finds nothing, and beside a word it changes nothing",
    async (_name, q) => {
      const household = createFreshHousehold();
      await indexSummaries(
        buildSummary(household, "t1"),
        buildSummary(household, "t2", { text: `${q} mint` }),
      );

      expect(await searchRefs(household, q)).toEqual([]);
      expect(await searchRefs(household, `${q} mint`)).toEqual(["t2"]);
    },
  );

  it("a search does not mix up households whose ids have the same prefix", async () => {
    await indexSummaries(
      buildSummary("oak", "t1"),
      buildSummary("oak-1", "t2"),
      buildSummary("oa", "t3"),
    );

    expect(await searchRefs("oak", "basil")).toEqual(["t1"]);
    expect(await searchRefs("oa", "b")).toEqual(["t3"]);
  });

  it("a search finds a thread by its current words only", async () => {
    const household = createFreshHousehold();
    await indexSummaries(
      buildSummary(household, "t1", { text: "basil" }),
      buildSummary(household, "t1", { seq: 2, text: "basil watered" }),
      buildSummary(household, "t1", { seq: 3, text: "mint" }),
    );

    expect(await searchRefs(household, "watered")).toEqual([]);
    expect(await searchRefs(household, "mint")).toEqual(["t1"]);
  });

  it("a search reads no rows of a household that has the same words a hundred times as often", async () => {
    const [ours, theirs] = [createFreshHousehold(), createFreshHousehold()];
    await indexSummaries(buildSummary(ours, "t1"));
    const read = async () => {
      const { db, asked } = watchDatabase();
      await listThreadsOf(ours, { q: "basil" }, db);
      return asked.map(({ meta }) => meta!.rows_read);
    };
    const alone = await read();

    await indexSummaries(
      ...Array.from({ length: 100 }, (_, at) => buildSummary(theirs, `t-${at}`)),
    );

    expect(await read()).toEqual(alone);
  });
});
