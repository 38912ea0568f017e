/**
 * Words as the index holds and seeks them: folded to lower case without accents, so that what a person types is
 * found however it was written. Scripts that put no spaces between words are held sign by sign.
 */

/** Characters of one thread's words that the index holds; the first are kept. */
const LONGEST = 32_768;
const MOST_SOUGHT = 16;

const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}`;
const RUN = new RegExp(String.raw`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\p{L}\p{N}])+`, "gu");
const SIGNS = new RegExp(`^[${UNSPACED}]+$`, "u");

/** Each distinct word once, in order; a word of an unspaced script as its signs with spaces between. */
const wordsIn = (text: string): string[] => {
  const folded = text
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "");
  return [...new Set(folded.match(RUN))].map((run) =>
    SIGNS.test(run) ? Array.from(run).join(" ") : run,
  );
};

/** The `words` of a row: the trigger writes each behind its household, so there is nothing but words and spaces. */
export function indexedWords(text: string): string {
  const words = wordsIn(text).join(" ");
  return words.length <= LONGEST ? words : words.slice(0, words.lastIndexOf(" ", LONGEST));
}

/**
 * The MATCH expression for what a person typed: every word, and any that begins like the last one; undefined when
 * it holds no word. Only letters and digits reach the expression, each phrase quoted.
 */
export function matchExpression(household: string, typed: string): string | undefined {
  const words = wordsIn(typed.slice(0, LONGEST)).slice(0, MOST_SOUGHT);
  if (words.length === 0) return undefined;
  const prefix = `${hex(household)}x`;
  const phrases = words.map((word) => `"${prefix}${word.replaceAll(" ", ` ${prefix}`)}"`);
  return `${phrases.join(" AND ")} *`;
}

/** As SQLite's `hex()`: the bytes of the text in UTF-8. */
const hex = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
