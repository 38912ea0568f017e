/**
 * What others wrote, made fit for a model to read: nothing hidden in it, nothing that could be taken for the
 * exchange's own words. The record keeps the bytes as they came.
 */

/** Letters that show as nothing, which Unicode does not count as format characters. */
const FILLER_CHARACTERS = "\\u115F\\u1160\\u3164\\uFFA0\\u034F\\u17B4\\u17B5\\u2800";
const VARIATION_SELECTORS = "\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}\\u180B-\\u180F";

/** Control, bidi, zero-width, tag and private characters, variation selectors and halves of characters. */
const HIDDEN_PATTERN = new RegExp(
  `[\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}${FILLER_CHARACTERS}${VARIATION_SELECTORS}]|(?![\\n\\t])\\p{Cc}`,
  "gu",
);

// oxlint-disable-next-line no-control-regex
const LINE_END_PATTERN = /\r\n?|[\u000B\u000C\u0085\u2028\u2029]/g;

/** Also in the middle of a word: text that was written as JSON has letters where lines ended. */
const DATA_URI_PATTERN = /data:(?=[a-z]+\/|;)[\w.+/;="-]*,[^\s<>"')\]]*/gi;

/** The text without hidden characters and without data URIs, its lines ended by `\n` only. */
export const cleanText = (text: string): string =>
  text
    .replaceAll(LINE_END_PATTERN, "\n")
    .replaceAll(HIDDEN_PATTERN, "")
    .replaceAll(DATA_URI_PATTERN, (data) => `[${data.length} characters of data left out]`);

/** Every line behind `> `, so that no text can end its own quotation. */
export const quoteText = (text: string): string =>
  cleanText(text)
    .trim()
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");

/** One line of at most `maxChars` characters, for the inside of a sentence; it holds no double quotes. */
export function inlineText(text: string, maxChars: number): string {
  const flat = cleanText(text).replaceAll(/\s+/g, " ").replaceAll('"', "'").trim();
  const characters = Array.from(flat);
  return characters.length <= maxChars ? flat : `${characters.slice(0, maxChars - 1).join("")}…`;
}

/** Strings at every depth, and keys, cleaned. */
export function cleanDeep<T>(value: T): T {
  if (typeof value === "string") return cleanText(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => cleanDeep(item)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, nested]) => [cleanText(key), cleanDeep(nested)]),
  ) as T;
}
