/** Texts in the person's language. English is bundled; other languages are loaded on demand. */
import { texts as en } from "../lang/en.js";
import { formatSafely, pickLanguage, pickLocale, RIGHT_TO_LEFT_SCRIPT } from "./locale.js";
import { prefs } from "./preferences.js";

/** @typedef {keyof typeof en} Word */

/** Names of the languages, as the settings show them. */
export const LANGUAGES = /** @type {const} */ ({
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  pt: "Português",
  tr: "Türkçe",
  ar: "العربية",
});

const RIGHT_TO_LEFT = ["ar"];

/** @type {Record<string, string>} */
let texts = en;
let language = "en";

export const currentLanguage = () => language;

/** Locale for times and numbers; always valid for `Intl`. */
export const currentLocale = () => pickLocale(navigator.languages, language);

/** Loads the texts of the preferred language; falls back to English if that fails. */
export async function loadLanguage() {
  language = pickLanguage([prefs.lang, ...navigator.languages], LANGUAGES);
  texts = en;
  if (language !== "en")
    try {
      // By its full path, since the deployed copy bundles this module into each page.
      const module = await import(`/respond/lang/${language}.js`);
      texts = { ...en, ...module.texts };
    } catch {
      language = "en";
    }
  document.documentElement.lang = language;
  document.documentElement.dir = RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr";
}

/**
 * The texts of a page that the respond page does not have, in the preferred language.
 * @template {Record<string, string>} T
 * @param {T} english
 * @param {string} folder that contains `lang/`, by its full path
 */
export function createPageTexts(english, folder) {
  /** @type {Record<string, string>} */
  let own = english;
  return {
    /** Loads the respond page's texts and these; falls back to English if that fails. */
    load: async () => {
      await loadLanguage();
      own = english;
      if (language === "en") return;
      try {
        own = { ...english, ...(await import(`${folder}/lang/${language}.js`)).texts };
      } catch {
        // Offline, and this language is not cached.
      }
    },
    /** @param {keyof T & string} key @param {Record<string, string | number>} [values] for placeholders such as `{name}` */
    text: (key, values = {}) => format(own[key] ?? key, values),
    /** @param {string} key @returns {string | undefined} undefined if there is no such text */
    find: (key) => (Object.hasOwn(own, key) ? own[key] : undefined),
  };
}

/**
 * @param {Word} word
 * @param {Record<string, string | number>} [values] for placeholders such as `{name}`
 * @returns {string}
 */
export const t = (word, values = {}) => format(texts[word] ?? word, values);

/**
 * @param {string} text
 * @param {Record<string, string | number>} values
 */
export const format = (text, values) =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    if (value === undefined) return whole;
    return isolate(typeof value === "number" ? formatNumber(value) : value);
  });

/** A number in the digits of the locale, as in times. @param {number} value */
export const formatNumber = (value) =>
  formatSafely(
    currentLocale(),
    (locale) => new Intl.NumberFormat(locale, { useGrouping: false }).format(value),
    String(value),
  );

/**
 * Isolates a name or number from the direction of the text around it, where the two may differ: otherwise it changes
 * the order of the words and the punctuation.
 * @param {string} value
 */
const isolate = (value) =>
  RIGHT_TO_LEFT.includes(language) || RIGHT_TO_LEFT_SCRIPT.test(value)
    ? `\u2068${value}\u2069`
    : value;

/**
 * The text of a key built at run time; undefined if there is none.
 * @param {string} word
 */
export const maybe = (word) => (Object.hasOwn(texts, word) ? texts[word] : undefined);

const TARGETS = /** @type {const} */ ([
  ["data-t", "textContent"],
  ["data-t-label", "ariaLabel"],
  ["data-t-placeholder", "placeholder"],
]);

/**
 * Translates the elements of the static HTML.
 * @param {(word: any) => string} [text]
 */
export function localize(text = t) {
  for (const [attribute, property] of TARGETS)
    for (const element of document.querySelectorAll(`[${attribute}]`))
      Object.assign(element, { [property]: text(element.getAttribute(attribute)) });
}
