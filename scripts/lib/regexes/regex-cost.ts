/** Checks with recheck whether a regex takes linear time on every input. */
import recheck from "recheck/lib/browser.js";

/** Repetition counts up to this are not changed. */
const MAX_SMALL_COUNT = 8;

/** With timeouts, the result would depend on the machine. */
const WITHOUT_TIMEOUTS = { timeout: null, attackTimeout: null, incubationTimeout: null };

/** Why the regex is not linear; undefined if it is. */
export function explainNotLinear(pattern: string, flags: string): string | undefined {
  const result = recheck.checkSync(removeLargeCounts(pattern), flags, {
    ...WITHOUT_TIMEOUTS,
    maxNFASize: 100_000,
  });
  switch (result.status) {
    case "safe":
      return undefined;
    case "vulnerable": {
      const { summary } = result.complexity;
      return `${summary}, for instance on ${result.attack.pattern}`;
    }
    default:
      return `it could not be analyzed: ${result.error.kind}`;
  }
}

/**
 * Replaces large counts, such as `{5,300}` by `{2,}`: two parts with a bound of hundreds are as slow as unbounded
 * ones, and their automaton has too many states to analyze.
 */
export function removeLargeCounts(pattern: string): string {
  let loose = "";
  let inClass = false;
  for (let at = 0; at < pattern.length;) {
    const rest = pattern.slice(at);
    const escape = /^\\(?:[pPu]\{[^}]*\}|[^])/.exec(rest);
    const count = inClass || escape ? null : /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
    const part = (escape ?? count)?.[0] ?? rest[0]!;
    if (part === "[") inClass = true;
    if (part === "]") inClass = false;
    loose += count ? loosenCount(count[0], count[1]!, count[2]) : part;
    at += part.length;
  }
  return loose;
}

function loosenCount(written: string, min: string, max: string | undefined): string {
  if (Number(max || min) <= MAX_SMALL_COUNT) return written;
  // A fixed count matches in one way only, so its size does not matter.
  if (max === undefined) return `{${MAX_SMALL_COUNT}}`;
  return `{${Math.min(Number(min), 2)},}`;
}
