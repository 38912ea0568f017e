/**
 * Isolates names and texts that are written from right to left inside a notice's English sentences. Without it, a
 * name changes the order of the words and the punctuation around it. Other texts stay as they are: one character
 * outside the GSM alphabet would halve what fits into an SMS.
 */

/** Hebrew, Arabic and the other scripts of these blocks, with their presentation forms. */
const RIGHT_TO_LEFT = "\\u0590-\\u08FF\\uFB1D-\\uFDFF\\uFE70-\\uFEFC";
const RIGHT_TO_LEFT_PATTERN = new RegExp(`[${RIGHT_TO_LEFT}]`);
const RIGHT_TO_LEFT_START = new RegExp(`^[^\\p{L}]*[${RIGHT_TO_LEFT}]`, "u");
const RIGHT_TO_LEFT_WORDS = new RegExp(`[${RIGHT_TO_LEFT}]+(?: [${RIGHT_TO_LEFT}]+)*`, "g");

/** The text between a first strong isolate and its end, if it has characters written from right to left. */
export const isolate = (text: string): string =>
  RIGHT_TO_LEFT_PATTERN.test(text) ? `\u2068${text}\u2069` : text;

/** Isolates the names in `claimed by Ann: the key fits`, and the text after the colon. */
export function isolateEvent(line: string): string {
  if (!RIGHT_TO_LEFT_PATTERN.test(line) || RIGHT_TO_LEFT_START.test(line)) return line;
  const colon = line.indexOf(": ");
  const labelEnd = colon === -1 ? line.length : colon + 2;
  const label = line.slice(0, labelEnd).replaceAll(RIGHT_TO_LEFT_WORDS, isolate);
  return label + isolate(line.slice(labelEnd));
}
