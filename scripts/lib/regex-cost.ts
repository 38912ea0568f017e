/** Whether a regex takes linear time on every text, as recheck finds it by its automaton. */
import recheck from "recheck/lib/browser.js";

/** Repetitions up to here are taken as they are. */
const MAX_SMALL_COUNT = 8;

/** Limits on time would make the result depend on the machine. */
const WITHOUT_TIMEOUTS = { timeout: null, attackTimeout: null, incubationTimeout: null };

/** Why the regex is refused; undefined where it is linear. */
export function whyNotLinear(pattern: string, flags: string): string | undefined {
  const result = recheck.checkSync(withoutLargeCounts(pattern), flags, {
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
      return `it could not be judged: ${result.error.kind}`;
  }
}

/**
 * The pattern with `{5,300}` as `{2,}`: a bound of hundreds makes a pattern with two such parts as slow as none, and
 * an automaton of thousands of states slow to judge.
 */
export function withoutLargeCounts(pattern: string): string {
  let loose = "";
  let inClass = false;
  for (let at = 0; at < pattern.length;) {
    const rest = pattern.slice(at);
    const escape = /^\\(?:[pPu]\{[^}]*\}|[^])/.exec(rest);
    const count = inClass || escape ? null : /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
    const part = (escape ?? count)?.[0] ?? rest[0]!;
    if (part === "[") inClass = true;
    if (part === "]") inClass = false;
    loose += count ? looseCount(count[0], count[1]!, count[2]) : part;
    at += part.length;
  }
  return loose;
}

function looseCount(written: string, least: string, most: string | undefined): string {
  if (Number(most || least) <= MAX_SMALL_COUNT) return written;
  // Exactly so many are one way to match, however many they are.
  if (most === undefined) return `{${MAX_SMALL_COUNT}}`;
  return `{${Math.min(Number(least), 2)},}`;
}
