/**
 * Texts of the pages that the Worker renders, in the browser's language. Translations are static files, so that they
 * add nothing to the Worker's size; without them the page is in English.
 */
import { html } from "hono/html";
import { log } from "../../log.ts";
import { ENGLISH } from "./english-texts.ts";
import type { Html } from "./sign-in/page.ts";

export type PageTextKey = keyof typeof ENGLISH;
type Dictionary = Readonly<Record<string, string>>;

/** Languages with a translation, and their direction. */
const DIRECTIONS: Readonly<Record<string, "ltr" | "rtl">> = {
  en: "ltr",
  ar: "rtl",
  de: "ltr",
  es: "ltr",
  fr: "ltr",
  pt: "ltr",
  tr: "ltr",
};

/** Longer headers are not from browsers. */
const MAX_HEADER_CHARS = 1_000;

export interface PageTexts {
  readonly language: string;
  readonly direction: "ltr" | "rtl";
  /** A text without placeholders, or with plain values. */
  readonly text: (key: PageTextKey, values?: Record<string, string>) => string;
  /** A text of a key that is built at run time; undefined if there is none. */
  readonly find: (key: string) => string | undefined;
  /** A text whose placeholders are elements; each is isolated from the direction of the text. */
  readonly rich: (key: PageTextKey, values: Record<string, string | Html>) => Html;
}

/** The binding that serves static files. */
export interface PageBindings {
  readonly ASSETS: { fetch(address: URL): Promise<Response> };
}

/** Translations that were loaded before, by language. */
const loaded = new Map<string, Dictionary>();

/** The first language of `Accept-Language`, by its quality, that has a translation. */
export function pickLanguage(header: string | null): string {
  const tags = (header ?? "")
    .slice(0, MAX_HEADER_CHARS)
    .split(",")
    .map((entry) => {
      const [tag = "", ...parameters] = entry.trim().toLowerCase().split(";");
      const quality = parameters.map((one) => one.trim()).find((one) => one.startsWith("q="));
      return { language: tag.split("-")[0] ?? "", quality: Number(quality?.slice(2) ?? 1) };
    })
    .filter(({ language, quality }) => Object.hasOwn(DIRECTIONS, language) && quality > 0);
  return tags.toSorted((a, b) => b.quality - a.quality)[0]?.language ?? "en";
}

async function loadDictionary(
  env: PageBindings,
  request: Request,
  language: string,
): Promise<Dictionary | undefined> {
  if (language === "en") return ENGLISH;
  const known = loaded.get(language);
  if (known) return known;
  try {
    const response = await env.ASSETS.fetch(new URL(`/assets/lang/${language}.json`, request.url));
    if (!response.ok) return undefined;
    const dictionary: Dictionary = await response.json();
    loaded.set(language, dictionary);
    return dictionary;
  } catch {
    log("translation_unavailable", { language });
    return undefined;
  }
}

const PLACEHOLDER = /\{(\w+)\}/;

const isKey = (key: string): key is PageTextKey => Object.hasOwn(ENGLISH, key);

export async function loadPageTexts(env: PageBindings, request: Request): Promise<PageTexts> {
  const wanted = pickLanguage(request.headers.get("Accept-Language"));
  const dictionary = await loadDictionary(env, request, wanted);
  const language = dictionary ? wanted : "en";
  const find = (key: PageTextKey): string => dictionary?.[key] ?? ENGLISH[key];
  return {
    language,
    direction: DIRECTIONS[language] ?? "ltr",
    text: (key, values = {}) =>
      find(key).replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole),
    find: (key) => (isKey(key) ? find(key) : undefined),
    rich: (key, values) =>
      html`${find(key)
        .split(PLACEHOLDER)
        .map((part, index) => (index % 2 === 0 ? part : html`<bdi>${values[part] ?? ""}</bdi>`))}`,
  };
}
