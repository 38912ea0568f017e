/** Estimates the cost of parsing a mail from its raw bytes: number of parts and lines. */

/** Lines that begin with two dashes, like MIME boundary lines. */
const MAX_DELIMITERS = 1_000;
/** Lines beyond the number that a mail of this size has with usual line folding. */
const MAX_SHORT_LINES = 50_000;
const USUAL_LINE_BYTES = 40;

const LINE_FEED = 10;
const DASH = 45;

/** Whether the mail has so many parts or lines that parsing would block the Worker for seconds. */
export function isCostlyToParse(raw: Uint8Array): boolean {
  let lines = 0;
  let delimiters = 0;
  let isStart = true;
  for (let at = 0; at < raw.length; at++) {
    if (isStart && raw[at] === DASH && raw[at + 1] === DASH) delimiters += 1;
    isStart = raw[at] === LINE_FEED;
    if (isStart) lines += 1;
  }
  return delimiters > MAX_DELIMITERS || lines > MAX_SHORT_LINES + raw.length / USUAL_LINE_BYTES;
}
