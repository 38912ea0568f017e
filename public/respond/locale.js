/** Tags that `Intl` accepts: without a locale of the system, browsers give `en-US@posix`, at which it throws. */

/** `en-US` for `en-US@posix` and `en_US.UTF-8`. @param {unknown} tag @returns {string | undefined} */
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

/** The first that is supported, else English. @param {readonly unknown[]} tags @param {object} supported */
export const pickLanguage = (tags, supported) =>
  valid(tags)
    .map(languageOf)
    .find((language) => Object.hasOwn(supported, language)) ?? "en";

/** The person's own variant of the language. @param {readonly unknown[]} tags @param {string} language */
export const pickLocale = (tags, language) =>
  valid(tags).find((tag) => languageOf(tag) === language) ?? language;

/**
 * In the locale, else in English, else `plain`: a format that fails must not take the page down.
 * @param {string} locale
 * @param {(locale: string) => string} format
 * @param {string} plain
 */
export function formatSafely(locale, format, plain) {
  for (const tag of [locale, "en"])
    try {
      return format(tag);
    } catch {
      // The next one is tried.
    }
  return plain;
}
