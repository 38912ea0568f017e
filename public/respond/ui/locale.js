/** Valid language tags for `Intl`: some browsers report `en-US@posix`, for which it throws. */

/** Turns `en-US@posix` and `en_US.UTF-8` into `en-US`. @param {unknown} tag @returns {string | undefined} */
export function validTag(tag) {
  const [plain = ""] = String(tag).trim().split(/[.@]/);
  try {
    return Intl.getCanonicalLocales(plain.replaceAll("_", "-"))[0];
  } catch {
    return undefined;
  }
}

/** @param {readonly unknown[]} tags */
const valid = (tags) => tags.flatMap((tag) => validTag(tag) ?? []);

/** @param {string} tag */
const languageOf = (tag) => tag.replace(/-.*/, "");

/** The first supported language, or English. @param {readonly unknown[]} tags @param {object} supported */
export const pickLanguage = (tags, supported) =>
  valid(tags)
    .map(languageOf)
    .find((language) => Object.hasOwn(supported, language)) ?? "en";

/** The person's variant of the language, such as `en-GB`. @param {readonly unknown[]} tags @param {string} language */
export const pickLocale = (tags, language) =>
  valid(tags).find((tag) => languageOf(tag) === language) ?? language;

/**
 * Formats in the locale, or in English, or returns `plain`, so that a formatting error cannot break the page.
 * @param {string} locale
 * @param {(locale: string) => string} format
 * @param {string} plain
 */
export function formatSafely(locale, format, plain) {
  for (const tag of [locale, "en"])
    try {
      return format(tag);
    } catch {
      // Try the next locale.
    }
  return plain;
}

/** Characters of the scripts that are written from right to left. */
export const RIGHT_TO_LEFT_SCRIPT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
