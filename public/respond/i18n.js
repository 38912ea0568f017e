/** The page's words in the person's language. English is part of the page; another language is loaded beside it. */
import { words as en } from "./lang/en.js";
import { pickLanguage, pickLocale } from "./locale.js";
import { prefs } from "./preferences.js";

/** @typedef {keyof typeof en} Word */

/** Each named in itself, as the settings show it. */
export const LANGUAGES = /** @type {const} */ ({
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  tr: "Türkçe",
});

/** Languages that are written from right to left, so that a new one needs a dictionary alone. */
const RIGHT_TO_LEFT = ["ar", "fa", "he", "ur"];

/** @type {Record<string, string>} */
let texts = en;
let language = "en";

export const currentLanguage = () => language;

/** The locale of times and numbers; always one that `Intl` accepts. */
export const currentLocale = () => pickLocale(navigator.languages, language);

/** Resolves when the words are there; without the network, English is spoken. */
export async function loadLanguage() {
  language = pickLanguage([prefs.lang, ...navigator.languages], LANGUAGES);
  texts = en;
  if (language !== "en")
    try {
      const module = await import(`./lang/${language}.js`);
      texts = { ...en, ...module.words };
    } catch {
      language = "en";
    }
  document.documentElement.lang = language;
  document.documentElement.dir = RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr";
}

/**
 * @param {Word} word
 * @param {Record<string, string | number>} [values] for the `{name}`s in it
 * @returns {string}
 */
export const t = (word, values = {}) => format(texts[word] ?? word, values);

/**
 * @param {string} text
 * @param {Record<string, string | number>} values
 */
export const format = (text, values) =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));

/**
 * A word whose name is made of parts; undefined where the page has none of that name.
 * @param {string} word
 */
export const maybe = (word) => (Object.hasOwn(texts, word) ? texts[word] : undefined);

const TARGETS = /** @type {const} */ ([
  ["data-t", "textContent"],
  ["data-t-label", "ariaLabel"],
  ["data-t-placeholder", "placeholder"],
]);

/**
 * Puts the words of the person's language into what stands in the page already.
 * @param {(word: any) => string} [text]
 */
export function localize(text = t) {
  for (const [attribute, property] of TARGETS)
    for (const element of document.querySelectorAll(`[${attribute}]`))
      Object.assign(element, { [property]: text(element.getAttribute(attribute)) });
}
