/**
 * Search terms for indexing and matching: lower case without accents. Text in scripts without spaces between words
 * is indexed character by character. A letter that is only an accent, such as U+FE74, is in no term.
 */

/** Characters of one thread's terms in the index; terms beyond are dropped. */
const MAX_INDEXED_CHARS = 32_768;
const MAX_SEARCH_TERMS = 16;

const UNSPACED_SCRIPTS = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}`;
const TERM_PATTERN = new RegExp(
  String.raw`[${UNSPACED_SCRIPTS}]+|(?:(?![${UNSPACED_SCRIPTS}])[\p{L}\p{N}])+`,
  "gu",
);
const UNSPACED_PATTERN = new RegExp(`^[${UNSPACED_SCRIPTS}]+$`, "u");

/** Returns the distinct words in order; a word of an unspaced script has its characters separated by spaces. */
const extractTerms = (text: string): string[] => {
  const folded = text
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "");
  return [...new Set(folded.match(TERM_PATTERN))].map((run) =>
    UNSPACED_PATTERN.test(run) ? Array.from(run).join(" ") : run,
  );
};

/** Builds the terms of a row: words and spaces only, since a trigger prefixes each word with its household. */
export function buildIndexedTerms(text: string): string {
  const terms = extractTerms(text).join(" ");
  return terms.length <= MAX_INDEXED_CHARS
    ? terms
    : terms.slice(0, terms.lastIndexOf(" ", MAX_INDEXED_CHARS));
}

/**
 * Builds the MATCH expression for a search text: all words, the last one as a prefix; undefined when the text has no
 * word. Phrases are quoted and contain only letters and digits, which prevents injection of FTS operators.
 */
export function buildMatchExpression(household: string, typed: string): string | undefined {
  const terms = extractTerms(typed.slice(0, MAX_INDEXED_CHARS)).slice(0, MAX_SEARCH_TERMS);
  if (terms.length === 0) return undefined;
  const prefix = `${toHex(household)}x`;
  const phrases = terms.map((word) => `"${prefix}${word.replaceAll(" ", ` ${prefix}`)}"`);
  return `${phrases.join(" AND ")} *`;
}

/** Like SQLite's `hex()`: the UTF-8 bytes of the text. */
export const toHex = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
