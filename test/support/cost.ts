/**
 * How the cost of a text grows with its length, against a plain text of the same length in the same run. A machine
 * that is busy slows both, so only the text itself can make the difference.
 */

/** Characters, each four times the one before. */
const SIZES = [256, 1_024, 4_096, 16_384] as const;
/** Below this a text is cheap, whatever its growth: the clock and the compiler make more of a difference. */
const CHEAP_MS = 4;
const ROUNDS = 7;
const FACTOR = 4;
/** Linear cost grows by FACTOR at each step, quadratic by FACTOR²: between them there is room for noise. */
const MOST_GROWTH = 2.5;
const TRIES = 3;

/** A text of about so many characters. */
export type Make = (size: number) => string;

const buildPlainText: Make = (size) =>
  "the basil in the kitchen needs water ".repeat(size / 32).slice(0, size);

function measureOnce(work: (text: string) => unknown, text: string): number {
  const began = performance.now();
  work(text);
  return performance.now() - began;
}

/** Milliseconds, the median of several rounds. */
function measureMedian(work: (text: string) => unknown, text: string): number {
  const times = Array.from({ length: ROUNDS }, () => measureOnce(work, text)).toSorted(
    (a, b) => a - b,
  );
  return times[Math.floor(ROUNDS / 2)]!;
}

/** How much faster the cost of `make` grows up to this size than that of a plain text, which never counts below linear. */
function measureExcess(work: (text: string) => unknown, make: Make, size: number): number {
  const growth = measureMedian(work, make(size)) / measureMedian(work, make(size / FACTOR));
  const usual =
    measureMedian(work, buildPlainText(size)) / measureMedian(work, buildPlainText(size / FACTOR));
  return growth / Math.max(FACTOR, usual);
}

/**
 * @param cheapMs a cost that does not count
 * @returns undefined where the cost grows no faster than linearly, else at which size it does. Sizes rise, so that a
 *   regex that would take hours is found while it takes milliseconds
 */
export function findCostFault(
  work: (text: string) => unknown,
  make: Make,
  cheapMs: number = CHEAP_MS,
): string | undefined {
  for (const size of SIZES) {
    if (measureOnce(work, make(size)) < cheapMs || measureMedian(work, make(size)) < cheapMs)
      continue;
    const tries = Array.from({ length: TRIES }, () => measureExcess(work, make, size));
    const least = Math.min(...tries);
    if (least > MOST_GROWTH)
      return `${size} characters cost ${(least * FACTOR).toFixed(1)} times as much as ${size / FACTOR}`;
  }
  return undefined;
}
