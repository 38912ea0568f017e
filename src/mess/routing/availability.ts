/** Availability windows of an executor: a cron expression read as a window, or a span of hours (decision 44). */
import { writeTime } from "../times.ts";
import { LIMITS } from "../limits.ts";

/** Each set holds the values of the cron field for which the window is open. */
interface CronWindow {
  hours: ReadonlySet<number>;
  /** Days of the month from 1, or undefined for `*`. */
  days: ReadonlySet<number> | undefined;
  months: ReadonlySet<number>;
  /** Days of the week, Sunday being 0, or undefined for `*`. */
  weekdays: ReadonlySet<number> | undefined;
}

/** Minutes since midnight, both ends inclusive; where `to` is before `from` the span crosses midnight. */
interface HourSpan {
  from: number;
  to: number;
}

export type AvailabilityWindow = CronWindow | HourSpan;

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const WEEKDAYS = "sun mon tue wed thu fri sat".split(" ");
const SPAN_PATTERN = /^(\d{1,2}):(\d{2})\s*(?:-|–|to)\s*(\d{1,2}):(\d{2})$/;

/** Reads a number, or a name from the list, between the bounds. */
function readCronValue(
  text: string,
  low: number,
  high: number,
  names: string[],
): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + low;
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= low && value <= high ? value : undefined;
}

/** Reads one cron field: `*`, `8`, `8-22`, `22-6` (wraps around), steps, and comma-separated lists. */
function readCronField(
  text: string,
  low: number,
  high: number,
  names: string[] = [],
): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [range = "", step, ...extraParts] = part.split("/");
    if (extraParts.length > 0 || (step !== undefined && !/^[1-9]\d?$/.test(step))) return undefined;
    const [first = "", last, ...more] =
      range === "*" ? [String(low), String(high)] : range.split("-");
    const from = readCronValue(first, low, high, names);
    const lastValue = last ?? (step === undefined ? first : String(high));
    const to = readCronValue(lastValue, low, high, names);
    if (from === undefined || to === undefined || more.length > 0) return undefined;
    const size = high - low + 1;
    const length = (to - from + size) % size;
    for (let shift = 0; shift <= length; shift += Number(step ?? 1)) {
      values.add(low + ((from - low + shift) % size));
    }
  }
  return values;
}

/** Reads a span such as `08:00-22:00`; undefined for any other text. */
export function readSpan(text: string): HourSpan | undefined {
  if (text.length > LIMITS.hoursChars) return undefined;
  const found = SPAN_PATTERN.exec(text.trim());
  if (!found) return undefined;
  const [fromHour, fromMinute, toHour, toMinute] = found.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const from = fromHour * 60 + fromMinute;
  const to = toHour * 60 + toMinute;
  if (fromMinute > 59 || toMinute > 59 || from > 1440 || to > 1440) return undefined;
  return { from, to };
}

/** Reads a window such as `0 8-22 * * *` or `08:00-22:00`; undefined for any other text. */
export function readWindow(text: string): AvailabilityWindow | undefined {
  const span = readSpan(text);
  if (span) return span;
  if (text.length > LIMITS.cronChars) return undefined;
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5) return undefined;
  const [minute, hour, day, month, weekday] = fields as [string, string, string, string, string];
  const minutes = readCronField(minute, 0, 59);
  const hours = readCronField(hour, 0, 23);
  const days = readCronField(day, 1, 31);
  const months = readCronField(month, 1, 12, MONTHS);
  const sunday = weekday.replaceAll(/\b0-7\b/g, "0-6").replaceAll(/\b7\b/g, "0");
  const weekdays = readCronField(sunday, 0, 6, WEEKDAYS);
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  return {
    hours,
    days: day === "*" ? undefined : days,
    months,
    weekdays: weekday === "*" ? undefined : weekdays,
  };
}

/**
 * Returns whether the window is open at the instant on the zone's clock. The minute of a cron expression is ignored
 * and its hours are inclusive: `8-22` is open until 22:59. As in cron, a day of the month and a day of the week
 * are alternatives where both are given.
 */
export function isWindowOpen(window: AvailabilityWindow, instant: number, zone: string): boolean {
  const wallTime = new Date(`${writeTime(instant, zone).slice(0, 19)}Z`);
  if ("from" in window) {
    const minute = wallTime.getUTCHours() * 60 + wallTime.getUTCMinutes();
    return window.from <= window.to
      ? minute >= window.from && minute <= window.to
      : minute >= window.from || minute <= window.to;
  }
  if (!window.hours.has(wallTime.getUTCHours())) return false;
  if (!window.months.has(wallTime.getUTCMonth() + 1)) return false;
  const { days, weekdays } = window;
  if (!days) return weekdays?.has(wallTime.getUTCDay()) ?? true;
  return days.has(wallTime.getUTCDate()) || (weekdays?.has(wallTime.getUTCDay()) ?? false);
}
