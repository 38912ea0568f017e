/** How long a text is as SMS, and how it is cut so that it costs no more than it must (3GPP TS 23.038, 23.040). */

/** The alphabet of one septet a character. */
const GSM_BASIC =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/** Two septets each. */
const GSM_EXTENDED = "^{}\\[~]|€";

const SINGLE_SEGMENT_UNITS = { gsm: 160, ucs2: 70 };
const PART_SEGMENT_UNITS = { gsm: 153, ucs2: 67 };

/** Typographic signs that would make the whole text UCS-2, which holds less than half, and what they are plainly. */
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

/** The text with plain signs for typographic ones. */
export const toPlainCharacters = (text: string): string =>
  Array.from(text, (character) => PLAIN_CHARACTERS[character] ?? character).join("");

/** Septets of the text, or undefined where it is not in the GSM alphabet. */
function countSeptets(text: string): number | undefined {
  let count = 0;
  for (const character of text) {
    if (GSM_BASIC.includes(character)) count += 1;
    else if (GSM_EXTENDED.includes(character)) count += 2;
    else return undefined;
  }
  return count;
}

/** Messages that the text becomes on its way. */
export function countSegments(text: string): number {
  const count = countSeptets(text);
  const alphabet = count === undefined ? "ucs2" : "gsm";
  const length = count ?? text.length;
  return length <= SINGLE_SEGMENT_UNITS[alphabet]
    ? 1
    : Math.ceil(length / PART_SEGMENT_UNITS[alphabet]);
}

/**
 * The longest form of `write(text)` that takes at most `maxSegments` segments, with the text cut at a character and marked
 * with `...`; it keeps at least `minChars` characters, whatever that costs.
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
