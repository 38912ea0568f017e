/**
 * Words as the index holds and seeks them: folded to lower case without accents, so that what a person types is
 * found however it was written. Scripts that put no spaces between words are held sign by sign.
 */

/** Characters of one thread's words that the index holds; the first are kept. */
const MAX_INDEXED_CHARS = 32_768;
const MAX_SEARCH_TERMS = 16;

const UNSPACED_SCRIPTS = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}`;
const TERM_PATTERN = new RegExp(
  String.raw`[${UNSPACED_SCRIPTS}]+|(?:(?![${UNSPACED_SCRIPTS}])[\p{L}\p{N}])+`,
  "gu",
);
const UNSPACED_PATTERN = new RegExp(`^[${UNSPACED_SCRIPTS}]+$`, "u");

/** Each distinct word once, in order; a word of an unspaced script as its signs with spaces between. */
const extractTerms = (text: string): string[] => {
  const folded = text
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "");
  return [...new Set(folded.match(TERM_PATTERN))].map((run) =>
    UNSPACED_PATTERN.test(run) ? Array.from(run).join(" ") : run,
  );
};

/** The `terms` of a row: the trigger writes each behind its household, so there is nothing but words and spaces. */
export function buildIndexedTerms(text: string): string {
  const terms = extractTerms(text).join(" ");
  return terms.length <= MAX_INDEXED_CHARS
    ? terms
    : terms.slice(0, terms.lastIndexOf(" ", MAX_INDEXED_CHARS));
}

/**
 * The MATCH expression for what a person typed: every word, and any that begins like the last one; undefined when
 * it holds no word. Only letters and digits reach the expression, each phrase quoted.
 */
export function buildMatchExpression(household: string, typed: string): string | undefined {
  const terms = extractTerms(typed.slice(0, MAX_INDEXED_CHARS)).slice(0, MAX_SEARCH_TERMS);
  if (terms.length === 0) return undefined;
  const prefix = `${toHex(household)}x`;
  const phrases = terms.map((word) => `"${prefix}${word.replaceAll(" ", ` ${prefix}`)}"`);
  return `${phrases.join(" AND ")} *`;
}

/** As SQLite's `toHex()`: the bytes of the text in UTF-8. */
const toHex = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
