/** Texts of the inbox that the respond page does not have. */
import { currentLanguage, loadLanguage, format } from "../respond/ui/i18n.js";
import { words as en } from "./lang/en.js";

/** @typedef {keyof typeof en} InboxWord */

/** @type {Record<string, string>} */
let texts = en;

/** Loads the texts of the preferred language; falls back to English if that fails. */
export async function loadTexts() {
  await loadLanguage();
  const language = currentLanguage();
  texts = en;
  if (language === "en") return;
  try {
    texts = { ...en, ...(await import(`/inbox/lang/${language}.js`)).words };
  } catch {
    // Offline, and this language is not cached.
  }
}

/**
 * @param {InboxWord} word
 * @param {Record<string, string | number>} [values] for placeholders such as `{name}`
 * @returns {string}
 */
export const text = (word, values = {}) => format(texts[word] ?? word, values);

/** @param {string} word @returns {string | undefined} undefined if there is no such text */
export const maybeText = (word) => (Object.hasOwn(texts, word) ? texts[word] : undefined);
