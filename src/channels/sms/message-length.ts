/** How long a text is as SMS, and how it is cut so that it costs no more than it must (3GPP TS 23.038, 23.040). */

/** The alphabet of one septet a character. */
const BASIC =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/** Two septets each. */
const EXTENDED = "^{}\\[~]|€";

const SINGLE = { gsm: 160, ucs2: 70 };
const PART = { gsm: 153, ucs2: 67 };

/** Typographic signs that would make the whole text UCS-2, which holds less than half, and what they are plainly. */
const PLAIN: Readonly<Record<string, string>> = {
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
export const plainSigns = (text: string): string =>
  Array.from(text, (sign) => PLAIN[sign] ?? sign).join("");

/** Septets of the text, or undefined where it is not in the GSM alphabet. */
function septets(text: string): number | undefined {
  let count = 0;
  for (const sign of text) {
    if (BASIC.includes(sign)) count += 1;
    else if (EXTENDED.includes(sign)) count += 2;
    else return undefined;
  }
  return count;
}

/** Messages that the text becomes on its way. */
export function segments(text: string): number {
  const count = septets(text);
  const alphabet = count === undefined ? "ucs2" : "gsm";
  const length = count ?? text.length;
  return length <= SINGLE[alphabet] ? 1 : Math.ceil(length / PART[alphabet]);
}

/**
 * The longest form of `write(text)` that takes at most `most` segments, with the text cut at a character and marked
 * with `...`; it keeps at least `least` characters, whatever that costs.
 */
export function cutToSegments(
  text: string,
  most: number,
  least: number,
  write: (cut: string) => string,
): string {
  const whole = write(text);
  if (segments(whole) <= most) return whole;
  const characters = Array.from(text);
  let low = Math.min(least, characters.length);
  let high = characters.length;
  const cutAt = (length: number): string => `${characters.slice(0, length).join("").trimEnd()}...`;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (segments(write(cutAt(middle))) <= most) low = middle;
    else high = middle - 1;
  }
  return write(low === characters.length ? text : cutAt(low));
}
