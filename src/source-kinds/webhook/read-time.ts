/** Reads the times of services. */

/** Numbers below it are seconds since 1970; it is a time in the year 5138. */
const FIRST_MILLISECONDS = 100_000_000_000;

/** Milliseconds since 1970 of a date, or of a number of seconds or milliseconds; undefined if it is none. */
export function parseTime(text: string): number | undefined {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  const time = Number.isNaN(number)
    ? Date.parse(text)
    : number * (number < FIRST_MILLISECONDS ? 1_000 : 1);
  return Number.isNaN(time) || time < 0 ? undefined : Math.floor(time);
}
