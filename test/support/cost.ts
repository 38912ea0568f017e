/**
 * Measures how the cost of a text grows with its length, compared with a plain text of the same length in the same run.
 * A busy machine slows down both, so a difference comes from the text.
 */

/** Numbers of characters; each is four times the one before. */
const SIZES = [256, 1_024, 4_096, 16_384] as const;
/** Costs below this many milliseconds are ignored, since the clock and the compiler dominate them. */
const CHEAP_MS = 4;
const ROUNDS = 7;
const FACTOR = 4;
/** Linear cost grows by FACTOR at each step, quadratic cost by FACTOR²; the limit between them allows for noise. */
const MAX_GROWTH_FACTOR = 2.5;
/** A pause of the process can spoil a measurement, but not all of these in turn. */
const TRIES = 12;

/** A text of approximately this many characters. */
export type BuildText = (size: number) => string;

const buildPlainText: BuildText = (size) =>
  "the basil in the kitchen needs water ".repeat(size / 32).slice(0, size);

function measureOnce(work: (text: string) => unknown, text: string): number {
  const began = performance.now();
  work(text);
  return performance.now() - began;
}

/**
 * The fastest of several rounds, in milliseconds: on a busy machine the process is paused in most rounds of a long text,
 * and in few of a short one.
 */
function measureFastest(work: (text: string) => unknown, text: string): number {
  return Math.min(...Array.from({ length: ROUNDS }, () => measureOnce(work, text)));
}

/**
 * How much faster the cost of `make` grows up to this size than that of a plain text, which counts as at least linear.
 */
function measureExcess(work: (text: string) => unknown, make: BuildText, size: number): number {
  const growth = measureFastest(work, make(size)) / measureFastest(work, make(size / FACTOR));
  const usual =
    measureFastest(work, buildPlainText(size)) /
    measureFastest(work, buildPlainText(size / FACTOR));
  return growth / Math.max(FACTOR, usual);
}

/**
 * @param cheapMs cost in milliseconds that is ignored
 * @returns undefined if the cost grows at most linearly, else the size at which it grows faster. Sizes rise, so a regex
 *   that would take hours is detected after milliseconds
 */
export function findCostFault(
  work: (text: string) => unknown,
  make: BuildText,
  cheapMs: number = CHEAP_MS,
): string | undefined {
  for (const size of SIZES) {
    if (measureOnce(work, make(size)) < cheapMs || measureFastest(work, make(size)) < cheapMs)
      continue;
    let least = Infinity;
    for (let tried = 0; tried < TRIES && least > MAX_GROWTH_FACTOR; tried++)
      least = Math.min(least, measureExcess(work, make, size));
    if (least > MAX_GROWTH_FACTOR)
      return `${size} characters cost ${(least * FACTOR).toFixed(1)} times as much as ${size / FACTOR}`;
  }
  return undefined;
}
