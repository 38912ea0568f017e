/** What the parser of mails spends its time on, counted in the raw bytes before it gets them: parts and lines. */

/** Lines that begin with two dashes, as the delimiters of parts do. */
const MAX_DELIMITERS = 1_000;
/** Lines beyond those that a mail of this size has where it is folded as usual. */
const MAX_SHORT_LINES = 50_000;
const USUAL_LINE_BYTES = 40;

const LINE_FEED = 10;
const DASH = 45;

/** Whether the mail has so many parts or lines that parsing it would keep the Worker busy for seconds. */
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
