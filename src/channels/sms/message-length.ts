/** Computes the number of SMS segments of a text, and cuts texts to it (3GPP TS 23.038, 23.040). */

/** Characters that take one septet each. */
const GSM_BASIC =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/** Characters that take two septets each. */
const GSM_EXTENDED = "^{}\\[~]|€";

const SINGLE_SEGMENT_UNITS = { gsm: 160, ucs2: 70 };
const PART_SEGMENT_UNITS = { gsm: 153, ucs2: 67 };

/** Replacements for characters outside the GSM alphabet: one of them would halve what fits into a segment. */
const PLAIN_CHARACTERS: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "„": '"',
  "–": "-",
  "—": "-",
  "…": "...",
  "\u00A0": " ",
  "•": "-",
};

/** Replaces typographic characters by those of the GSM alphabet. */
export const toPlainCharacters = (text: string): string =>
  Array.from(text, (character) => PLAIN_CHARACTERS[character] ?? character).join("");

/** Septets of the text; undefined if it has characters outside the GSM alphabet. */
function countSeptets(text: string): number | undefined {
  let count = 0;
  for (const character of text) {
    if (GSM_BASIC.includes(character)) count += 1;
    else if (GSM_EXTENDED.includes(character)) count += 2;
    else return undefined;
  }
  return count;
}

/** Number of segments in which the text is sent. */
export function countSegments(text: string): number {
  const count = countSeptets(text);
  const alphabet = count === undefined ? "ucs2" : "gsm";
  const length = count ?? text.length;
  return length <= SINGLE_SEGMENT_UNITS[alphabet]
    ? 1
    : Math.ceil(length / PART_SEGMENT_UNITS[alphabet]);
}

/**
 * The longest form of `write(text)` in at most `maxSegments` segments. A cut text ends with `...` and keeps at least
 * `minChars` characters, even if that takes more segments.
 */
export function cutToSegments(
  text: string,
  maxSegments: number,
  minChars: number,
  write: (cut: string) => string,
): string {
  const fullText = write(text);
  if (countSegments(fullText) <= maxSegments) return fullText;
  const characters = Array.from(text);
  let low = Math.min(minChars, characters.length);
  let high = characters.length;
  const cutAt = (length: number): string => `${characters.slice(0, length).join("").trimEnd()}...`;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countSegments(write(cutAt(middle))) <= maxSegments) low = middle;
    else high = middle - 1;
  }
  return write(low === characters.length ? text : cutAt(low));
}
