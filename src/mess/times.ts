/** ISO 8601 times with the household's offset (decision 7). Instants are milliseconds since 1970 UTC. */
import { LIMITS } from "./limits.ts";

const ISO_PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|z|[+-]\d{2}:?\d{2})?)?$/;

const formatByZone = new Map<string, Intl.DateTimeFormat>();

function getFormat(zone: string): Intl.DateTimeFormat {
  const known = formatByZone.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  formatByZone.set(zone, made);
  return made;
}

/**
 * Returns the milliseconds by which the zone's clock is ahead of UTC at the instant. An unknown zone counts as UTC,
 * so that a thread stays readable when it was stored by a runtime that knew more zones.
 */
export function getZoneOffset(instant: number, zone: string): number {
  if (zone === "UTC" || !isZone(zone)) return 0;
  const parts = Object.fromEntries(
    getFormat(zone)
      .formatToParts(instant)
      .map((part) => [part.type, Number(part.value)]),
  ) as Record<"year" | "month" | "day" | "hour" | "minute" | "second", number>;
  const wallTime = Date.UTC(
    parts.year,
    parts.month - 1,
    parts.day,
    parts.hour,
    parts.minute,
    parts.second,
  );
  return wallTime - Math.floor(instant / 1000) * 1000;
}

/** True for an IANA zone that this runtime knows. */
export function isZone(zone: string): boolean {
  if (zone.length > LIMITS.timeZoneChars) return false;
  try {
    getFormat(zone);
    return true;
  } catch {
    return false;
  }
}

const padTwo = (count: number): string => String(count).padStart(2, "0");

/** Writes the instant on the zone's clock, to the second: `2026-02-01T17:00:00-08:00`. */
export function writeTime(instant: number, zone: string): string {
  const offset = getZoneOffset(instant, zone);
  const minutes = Math.abs(Math.round(offset / 60_000));
  const wallTime = new Date(instant + offset).toISOString().slice(0, 19);
  return `${wallTime}${offset < 0 ? "-" : "+"}${padTwo(Math.floor(minutes / 60))}:${padTwo(minutes % 60)}`;
}

/** Returns the calendar day of the instant in the zone, such as `2026-02-01`. */
export const getDay = (instant: number, zone: string): string =>
  writeTime(instant, zone).slice(0, 10);

/**
 * Reads an ISO 8601 date or time as an instant; undefined when the text is not one or the date does not exist.
 * A time without offset is read on the zone's clock; a date without time is its midnight.
 */
export function readTime(text: string, zone: string): number | undefined {
  if (text.length > LIMITS.timeChars) return undefined;
  const found = ISO_PATTERN.exec(text.trim());
  if (!found) return undefined;
  const [year, month, day, hour, minute, second] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0)) as [number, number, number, number, number, number];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const wallTime = Date.UTC(year, month - 1, day, hour, minute, second);
  const date = new Date(wallTime);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const fraction = Number(`0.${found[7] ?? 0}`) * 1000;
  const offset = found[8];
  if (offset === undefined) {
    const guess = wallTime - getZoneOffset(wallTime, zone);
    return Math.floor(wallTime - getZoneOffset(guess, zone) + fraction);
  }
  if (offset.toUpperCase() === "Z") return Math.floor(wallTime + fraction);
  const sign = offset.startsWith("-") ? -1 : 1;
  const digits = offset.replaceAll(/\D/g, "");
  const shift = sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))) * 60_000;
  return Math.floor(wallTime - shift + fraction);
}
