/** Texts of the inbox that the respond page does not have. */
import { currentLanguage, loadLanguage, format } from "../respond/ui/i18n.js";
import { texts as en } from "./lang/en.js";

/** @typedef {keyof typeof en} InboxTextKey */

/** @type {Record<string, string>} */
let texts = en;

/** Loads the texts of the preferred language; falls back to English if that fails. */
export async function loadTexts() {
  await loadLanguage();
  const language = currentLanguage();
  texts = en;
  if (language === "en") return;
  try {
    texts = { ...en, ...(await import(`/inbox/lang/${language}.js`)).texts };
  } catch {
    // Offline, and this language is not cached.
  }
}

/**
 * @param {InboxTextKey} key
 * @param {Record<string, string | number>} [values] for placeholders such as `{name}`
 * @returns {string}
 */
export const inboxText = (key, values = {}) => format(texts[key] ?? key, values);

/** @param {string} key @returns {string | undefined} undefined if there is no such text */
export const maybeInboxText = (key) => (Object.hasOwn(texts, key) ? texts[key] : undefined);
