/** The inbox's own words, beside those that it shares with the respond page. */
import { currentLanguage, loadLanguage, format } from "../respond/i18n.js";
import { words as en } from "./lang/en.js";

/** @typedef {keyof typeof en} InboxWord */

/** @type {Record<string, string>} */
let texts = en;

/** Resolves when the words are there; without the network, English is spoken. */
export async function loadTexts() {
  await loadLanguage();
  const language = currentLanguage();
  texts = en;
  if (language === "en") return;
  try {
    texts = { ...en, ...(await import(`./lang/${language}.js`)).words };
  } catch {
    // The page is not kept in this language.
  }
}

/**
 * @param {InboxWord} word
 * @param {Record<string, string | number>} [values] for the `{name}`s in it
 * @returns {string}
 */
export const text = (word, values = {}) => format(texts[word] ?? word, values);

/** @param {string} word @returns {string | undefined} undefined where the inbox has none of that name */
export const maybeText = (word) => (Object.hasOwn(texts, word) ? texts[word] : undefined);
