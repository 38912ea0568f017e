/** The languages of the pages that the Worker renders. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadTexts } from "../../support/page-texts.ts";
import { ROOT } from "../../../scripts/lib/exchange/wrangler.ts";
import { ENGLISH } from "../../../src/ingress/pages/english-texts.ts";
import {
  loadPageTexts,
  type PageBindings,
  pickLanguage,
} from "../../../src/ingress/pages/page-texts.ts";

const FOLDER = join(ROOT, "public", "assets", "lang");
const read = (language: string) =>
  JSON.parse(readFileSync(join(FOLDER, `${language}.json`), "utf8")) as Record<string, string>;
/** Texts of the form without scripts that the pages with scripts have too. */
const FORM_KEYS =
  /^(?:by|inbox|your_\w+|send_answer|act_\w+|until|place|environment|compensation|approval_first|why_\w+)$/;
const LANGUAGES = readdirSync(FOLDER).map((name) => name.replace(".json", ""));

/** Serves the translations as the deployment does; `isDown` refuses them. */
const bindings = (isDown = false): PageBindings => ({
  ASSETS: {
    fetch: async (address: URL) =>
      isDown
        ? new Response(null, { status: 503 })
        : new Response(readFileSync(join(ROOT, "public", address.pathname))),
  },
});

const asking = (language: string) =>
  new Request("https://mess.test/", { headers: { "Accept-Language": language } });

test("the pages are translated into the languages of the respond page", () => {
  const known = readdirSync(join(ROOT, "public", "respond", "lang"))
    .filter((name) => name.endsWith(".js"))
    .map((name) => name.replace(".js", ""));

  expect(["en", ...LANGUAGES].toSorted()).toEqual(known.toSorted());
});

describe.each(LANGUAGES)("the translation %s", (language) => {
  test("a translation has the keys and the placeholders of English", () => {
    const words = read(language);
    const places = (text = "") => (text.match(/\{\w+\}/g) ?? []).toSorted();

    expect(Object.keys(words).toSorted()).toEqual(Object.keys(ENGLISH).toSorted());
    for (const [key, text] of Object.entries(ENGLISH))
      expect(places(words[key]), key).toEqual(places(text));
  });
});

test.each(["en", ...LANGUAGES])(
  "the form without scripts has the words of the respond page and the inbox: %s",
  async (language) => {
    const { by } = await loadTexts("inbox", language);
    const words = language === "en" ? ENGLISH : read(language);
    const own: Record<string, string | undefined> = {
      ...(await loadTexts("respond", language)),
      by,
    };
    // Sign-in has its own words for some keys.
    const form = Object.keys(own).filter((key) => FORM_KEYS.test(key) && Object.hasOwn(words, key));

    expect(form.length).toBeGreaterThan(20);
    for (const key of form) expect(words[key as keyof typeof words], key).toBe(own[key]);
  },
);

test.each([
  [null, "en"],
  ["", "en"],
  ["ja, zh;q=0.5", "en"],
  ["pt-BR,pt;q=0.9,en;q=0.8", "pt"],
  ["en;q=0.3, AR-eg;q=0.8", "ar"],
  ["de;q=0, fr", "fr"],
  ["constructor, __proto__", "en"],
])("the header Accept-Language %j chooses %s", (header, language) => {
  expect(pickLanguage(header)).toBe(language);
});

test("a page in Arabic runs from right to left, and isolates names", async () => {
  const texts = await loadPageTexts(bindings(), asking("ar"));

  expect([texts.language, texts.direction]).toEqual(["ar", "rtl"]);
  expect(String(await texts.rich("sign_in_to", { household: "Oak <b>" }))).toContain(
    "<bdi>Oak &lt;b&gt;</bdi>",
  );
});

test("without its translation a page is in English", async () => {
  const texts = await loadPageTexts(bindings(true), asking("tr"));

  expect([texts.language, texts.text("sign_in")]).toEqual(["en", ENGLISH.sign_in]);
});
