/** Checks that every language of the pages has the same texts as English, and that no unknown text is used. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../../scripts/lib/exchange/wrangler.ts";
import { loadTexts } from "../../support/page-texts.ts";

const PAGES = ["respond", "inbox", "inbox/agent-groups", "inbox/messages", "console"] as const;
type Texts = Readonly<Record<string, string>>;
const listPlaceholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();
const english = Object.fromEntries(
  await Promise.all(PAGES.map(async (page) => [page, await loadTexts(page, "en")] as const)),
) as Record<(typeof PAGES)[number], Texts>;

const LANGUAGES = ["ar", "de", "es", "fr", "pt", "tr"];
const CASES = PAGES.flatMap((page) => LANGUAGES.map((language) => [page, language] as const));

describe.each(CASES)("texts of the page %s in %s", async (page, language) => {
  const texts = await loadTexts(page, language);

  test("a translation has the same keys as English", () => {
    expect(Object.keys(texts).toSorted()).toEqual(Object.keys(english[page]).toSorted());
  });

  test("a translation has the same placeholders as English", () => {
    const differing = Object.entries(texts).filter(
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
  patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, key]) => key ?? ""));

const MARKED = /data-t(?:-label|-placeholder)?="(\w+)"/g;

test("the respond page uses no key that does not exist", () => {
  const asked = findAll(readSource("respond"), /\bt\(\s*"(\w+)"/g, MARKED);

  expect(asked.length).toBeGreaterThan(150);
  expect(asked.filter((key) => !Object.hasOwn(english.respond, key))).toEqual([]);
});

test("the inbox uses every key, and no key that does not exist", () => {
  // The manifest of the installed app is translated when the pages are built.
  const build = readFileSync(join(ROOT, "scripts", "copy-vendor.js"), "utf8");
  const source = readSource("inbox") + build;
  const own = findAll(source, /\binboxText\(\s*"(\w+)"/g);
  const shared = findAll(source, /\brespondText\(\s*"(\w+)"/g);
  const either = findAll(source, MARKED);
  const has = (texts: Texts) => (key: string) => Object.hasOwn(texts, key);

  expect(own.length).toBeGreaterThan(30);
  expect(own.filter((key) => !has(english.inbox)(key))).toEqual([]);
  expect(shared.filter((key) => !has(english.respond)(key))).toEqual([]);
  expect(either.filter((key) => !has(english.inbox)(key) && !has(english.respond)(key))).toEqual(
    [],
  );
  const unused = Object.keys(english.inbox).filter((key) => !source.includes(`"${key}"`));
  expect(unused).toEqual([]);
});

test.each([
  ["inbox/agent-groups", "groupText"],
  ["inbox/messages", "messageText"],
] as const)("the view %s uses every key, and no key that does not exist", (page, name) => {
  const texts = english[page];
  const source = readSource(page);

  const asked = findAll(source, new RegExp(`\\b${name}\\(\\s*"(\\w+)"`, "g"));
  const unused = Object.keys(texts).filter((key) => !source.includes(`"${key}"`));

  expect(asked.length).toBeGreaterThan(20);
  expect(asked.filter((key) => !Object.hasOwn(texts, key))).toEqual([]);
  expect(unused).toEqual([]);
});
