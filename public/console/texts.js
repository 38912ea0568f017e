/** Texts of the console that the other pages do not have. */
import { currentLanguage, format, loadLanguage, maybe } from "../respond/ui/i18n.js";
import { texts as en } from "./lang/en.js";

/** @typedef {keyof typeof en} ConsoleTextKey */

/** @type {Record<string, string>} */
let texts = en;

/** Loads the texts of the preferred language; falls back to English if that fails. */
export async function loadTexts() {
  await loadLanguage();
  const language = currentLanguage();
  texts = en;
  if (language === "en") return;
  try {
    texts = { ...en, ...(await import(`/console/lang/${language}.js`)).texts };
  } catch {
    // Offline, and this language is not cached.
  }
}

/**
 * @param {ConsoleTextKey} key
 * @param {Record<string, string | number>} [values] for placeholders such as `{name}`
 * @returns {string}
 */
export const text = (key, values = {}) => format(texts[key] ?? key, values);

/**
 * The text of a key built at run time, also one of the other pages.
 * @param {string} key
 * @param {string} otherwise what is shown if there is no such text
 */
export const findText = (key, otherwise) =>
  (Object.hasOwn(texts, key) ? texts[key] : undefined) ?? maybe(key) ?? otherwise;
