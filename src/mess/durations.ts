/** Reads and writes durations (decisions 39 and 40). */
import { LIMITS } from "./limits.ts";

/** Each unit consumes the white space after it. A `\s*` between optional units would backtrack over runs of spaces. */
const SHORT_PATTERN =
  /^(?:(\d+)w\s*)?(?:(\d+)d\s*)?(?:(\d+)h\s*)?(?:(\d+)m(?:in)?\s*)?(?:(\d+)s)?$/i;
const ISO_PATTERN = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const UNIT_SECONDS = [604_800, 86_400, 3_600, 60, 1];
/** Ten years. A longer duration is taken for a typing error. */
const MAX_SECONDS = 3_650 * 86_400;

/** Returns the seconds of `2h`, `1d`, `2h15m`, `PT2H` or `P1DT2H`; undefined when the text is not a duration. */
export function readDuration(text: string): number | undefined {
  if (text.length > LIMITS.durationChars) return undefined;
  const plain = text.trim();
  const found = ISO_PATTERN.exec(plain) ?? SHORT_PATTERN.exec(plain);
  if (!found || found.slice(1).every((part) => part === undefined)) return undefined;
  const seconds = UNIT_SECONDS.reduce(
    (sum, unit, index) => sum + unit * Number(found[index + 1] ?? 0),
    0,
  );
  return seconds <= MAX_SECONDS ? seconds : undefined;
}

/** Writes a whole number of seconds ≥ 0 as an ISO 8601 duration, with days as the largest unit: 8100 is `PT2H15M`. */
export function writeDuration(seconds: number): string {
  if (seconds === 0) return "PT0S";
  const days = Math.floor(seconds / 86_400);
  const parts: [number, string][] = [
    [Math.floor((seconds % 86_400) / 3_600), "H"],
    [Math.floor((seconds % 3_600) / 60), "M"],
    [seconds % 60, "S"],
  ];
  const time = parts.map(([count, unit]) => (count > 0 ? `${count}${unit}` : "")).join("");
  return `P${days > 0 ? `${days}D` : ""}${time ? `T${time}` : ""}`;
}
