/** Checks that every language of the pages has the same texts as English, and that no unknown text is used. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../../scripts/lib/exchange/wrangler.ts";

const PAGES = ["respond", "inbox"] as const;
type Words = Readonly<Record<string, string>>;
const loadWords = async (page: string, language: string) =>
  ((await import(`../../../public/${page}/lang/${language}.js`)) as { words: Words }).words;
const listPlaceholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();
const english = Object.fromEntries(
  await Promise.all(PAGES.map(async (page) => [page, await loadWords(page, "en")] as const)),
) as Record<(typeof PAGES)[number], Words>;

const LANGUAGES = ["ar", "de", "es", "fr", "pt", "tr"];
const CASES = PAGES.flatMap((page) => LANGUAGES.map((language) => [page, language] as const));

describe.each(CASES)("texts of the page %s in %s", async (page, language) => {
  const words = await loadWords(page, language);

  test("a translation has the same keys as English", () => {
    expect(Object.keys(words).toSorted()).toEqual(Object.keys(english[page]).toSorted());
  });

  test("a translation has the same placeholders as English", () => {
    const differing = Object.entries(words).filter(
      ([name, text]) =>
        listPlaceholders(text).join() !== listPlaceholders(english[page][name] ?? "").join(),
    );
    expect(differing).toEqual([]);
  });
});

const readSource = (page: string) =>
  readdirSync(join(ROOT, "public", page), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(js|html)$/.test(name))
    .map((name) => readFileSync(join(ROOT, "public", page, name), "utf8"))
    .join("\n");

const findAll = (source: string, ...patterns: RegExp[]) =>
  patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, word]) => word ?? ""));

const MARKED = /data-t(?:-label|-placeholder)?="(\w+)"/g;

test("the respond page uses no key that does not exist", () => {
  const asked = findAll(readSource("respond"), /\bt\(\s*"(\w+)"/g, MARKED);

  expect(asked.length).toBeGreaterThan(150);
  expect(asked.filter((word) => !Object.hasOwn(english.respond, word))).toEqual([]);
});

test("the inbox uses every key, and no key that does not exist", () => {
  // The manifest of the installed app is translated when the pages are built.
  const build = readFileSync(join(ROOT, "scripts", "copy-vendor.js"), "utf8");
  const source = readSource("inbox") + build;
  const own = findAll(source, /\binboxText\(\s*"(\w+)"/g);
  const shared = findAll(source, /\brespondText\(\s*"(\w+)"/g);
  const either = findAll(source, MARKED);
  const has = (words: Words) => (word: string) => Object.hasOwn(words, word);

  expect(own.length).toBeGreaterThan(30);
  expect(own.filter((word) => !has(english.inbox)(word))).toEqual([]);
  expect(shared.filter((word) => !has(english.respond)(word))).toEqual([]);
  expect(either.filter((word) => !has(english.inbox)(word) && !has(english.respond)(word))).toEqual(
    [],
  );
  const unused = Object.keys(english.inbox).filter((word) => !source.includes(`"${word}"`));
  expect(unused).toEqual([]);
});
