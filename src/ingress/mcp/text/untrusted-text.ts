/**
 * Cleans text by others before a model reads it: removes hidden characters, and quotes it so that it cannot be
 * mistaken for the exchange's own text. The stored bytes are not changed.
 */
import { cutLine, toOneLine } from "../../../mess/one-line.ts";

/** Letters without a visible glyph that Unicode does not count as format characters. */
const FILLER_CHARACTERS = "\\u115F\\u1160\\u3164\\uFFA0\\u034F\\u17B4\\u17B5\\u2800";
const VARIATION_SELECTORS = "\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}\\u180B-\\u180F";

/** Control, bidi, zero-width, tag and private-use characters, variation selectors and lone surrogates. */
const HIDDEN_PATTERN = new RegExp(
  `[\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}${FILLER_CHARACTERS}${VARIATION_SELECTORS}]|(?![\\n\\t])\\p{Cc}`,
  "gu",
);

// oxlint-disable-next-line no-control-regex
const LINE_END_PATTERN = /\r\n?|[\u000B\u000C\u0085\u2028\u2029]/g;

/** Also matches inside a word: in JSON text, an escaped line break leaves letters before a data URI. */
const DATA_URI_PATTERN = /data:(?=[a-z]+\/|;)[\w.+/;="-]*,[^\s<>"')\]]*/gi;

/** Removes hidden characters and data URIs, and normalizes line ends to `\n`. */
export const cleanText = (text: string): string =>
  text
    .replaceAll(LINE_END_PATTERN, "\n")
    .replaceAll(HIDDEN_PATTERN, "")
    .replaceAll(DATA_URI_PATTERN, (data) => `[${data.length} characters of data left out]`);

/** Prefixes every line with `> `, so that no text can end its own quotation. */
export const quoteText = (text: string): string =>
  cleanText(text)
    .trim()
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");

/** One line of at most `maxChars` characters without double quotes, for use inside a sentence. */
export function inlineText(text: string, maxChars: number): string {
  return cutLine(toOneLine(cleanText(text)).replaceAll('"', "'"), maxChars);
}

/** Cleans strings and keys at every depth. */
export function cleanDeep<T>(value: T): T {
  if (typeof value === "string") return cleanText(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => cleanDeep(item)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, nested]) => [cleanText(key), cleanDeep(nested)]),
  ) as T;
}
