/** Every language of the respond page says all that English says, about the same things. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../../scripts/lib/wrangler.ts";

const PAGE = join(ROOT, "public/respond");
type Words = Readonly<Record<string, string>>;
const wordsOf = async (language: string) =>
  ((await import(`../../../public/respond/lang/${language}.js`)) as { words: Words }).words;
const english = await wordsOf("en");
const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();

describe.each(["de", "es", "fr", "tr"])("the words of %s", async (language) => {
  const words = await wordsOf(language);

  test("are as many as the English ones, and of the same names", () => {
    expect(Object.keys(words).toSorted()).toEqual(Object.keys(english).toSorted());
  });

  test("name the same things as the English ones", () => {
    const differing = Object.entries(words).filter(
      ([name, text]) => placeholders(text).join() !== placeholders(english[name] ?? "").join(),
    );
    expect(differing).toEqual([]);
  });
});

test("the page asks for no word that there is not", () => {
  const sources = readdirSync(PAGE)
    .filter((name) => /\.(js|html)$/.test(name))
    .map((name) => readFileSync(join(PAGE, name), "utf8"))
    .join("\n");
  const asked = [
    ...sources.matchAll(/\bt\(\s*"(\w+)"/g),
    ...sources.matchAll(/data-t(?:-label|-placeholder)?="(\w+)"/g),
  ].map(([, word]) => word ?? "");

  expect(asked.length).toBeGreaterThan(150);
  expect(asked.filter((word) => !Object.hasOwn(english, word))).toEqual([]);
});
