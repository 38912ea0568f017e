/** Times and sizes as people say them, by the exchange's clock. */
import { now } from "./clock.js";
import { currentLocale, t } from "./i18n.js";

/**
 * `17:00`, or `Mon 2 Feb, 17:00` on another day.
 * @param {number | string} at milliseconds, or ISO 8601
 */
export function clock(at) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const today = new Date(now()).toDateString() === date.toDateString();
  /** @type {Intl.DateTimeFormatOptions} */
  const day = today ? {} : { weekday: "short", day: "numeric", month: "short" };
  return new Intl.DateTimeFormat(currentLocale(), {
    ...day,
    hour: "2-digit",
    minute: "2-digit",
  }).format(date);
}

/**
 * `5 minutes ago`, `in 2 hours`.
 * @param {number | string} at
 */
export function ago(at) {
  const seconds = Math.round((new Date(at).getTime() - now()) / 1000);
  const format = new Intl.RelativeTimeFormat(currentLocale(), { numeric: "auto" });
  const size = Math.abs(seconds);
  if (size < 60) return format.format(0, "second");
  if (size < 3_600) return format.format(Math.trunc(seconds / 60), "minute");
  if (size < 86_400) return format.format(Math.trunc(seconds / 3_600), "hour");
  return format.format(Math.trunc(seconds / 86_400), "day");
}

/**
 * What is left until then: `1 h 20 min`, `4 min`, and by the second in the last minute.
 * @param {string} until ISO 8601
 * @returns {{ text: string, left: number }} milliseconds left, below zero when it is over
 */
export function countdown(until) {
  const left = Date.parse(until) - now();
  if (Number.isNaN(left)) return { text: until, left: Infinity };
  if (left <= 0) return { text: t("over"), left };
  const seconds = Math.floor(left / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  const part = (/** @type {number} */ n, /** @type {string} */ unit) =>
    new Intl.NumberFormat(currentLocale(), { style: "unit", unit, unitDisplay: "short" }).format(n);
  const parts =
    days > 0
      ? [part(days, "day"), part(hours % 24, "hour")]
      : hours > 0
        ? [part(hours, "hour"), part(minutes % 60, "minute")]
        : minutes > 0
          ? [part(minutes, "minute")]
          : [part(seconds, "second")];
  return { text: parts.join(" "), left };
}

/**
 * @param {number} minutes
 * @returns {string} ISO 8601, as the exchange takes an estimate
 */
export const isoDuration = (minutes) =>
  minutes % 1_440 === 0
    ? `P${minutes / 1_440}D`
    : minutes % 60 === 0
      ? `PT${minutes / 60}H`
      : `PT${minutes}M`;

/**
 * `240 kB`
 * @param {number} bytes
 */
export function size(bytes) {
  const [value, unit] =
    bytes < 1_000
      ? [bytes, "byte"]
      : bytes < 1_000_000
        ? [bytes / 1_000, "kilobyte"]
        : [bytes / 1_000_000, "megabyte"];
  return new Intl.NumberFormat(currentLocale(), {
    style: "unit",
    unit,
    unitDisplay: "short",
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(value);
}
