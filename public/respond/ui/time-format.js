/** Formats times (by the server's clock) and sizes. */
import { now } from "./server-clock.js";
import { currentLocale, t } from "./i18n.js";
import { formatSafely } from "./locale.js";

/** @param {(locale: string) => string} format @param {string} plain */
const formatted = (format, plain) => formatSafely(currentLocale(), format, plain);

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
  return formatted(
    (locale) =>
      new Intl.DateTimeFormat(locale, { ...day, hour: "2-digit", minute: "2-digit" }).format(date),
    typeof at === "string" ? at : date.toISOString(),
  );
}

/**
 * `5 minutes ago`, `in 2 hours`.
 * @param {number | string} at
 */
export function ago(at) {
  const seconds = Math.round((new Date(at).getTime() - now()) / 1000);
  const size = Math.abs(seconds);
  return formatted((locale) => {
    const format = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
    if (size < 60) return format.format(0, "second");
    if (size < 3_600) return format.format(Math.trunc(seconds / 60), "minute");
    if (size < 86_400) return format.format(Math.trunc(seconds / 3_600), "hour");
    return format.format(Math.trunc(seconds / 86_400), "day");
  }, String(at));
}

/**
 * Time left: `1 h 20 min`, `4 min`, and seconds in the last minute.
 * @param {string} until ISO 8601
 * @returns {{ text: string, left: number }} milliseconds left, negative when it is over
 */
export function countdown(until) {
  const left = Date.parse(until) - now();
  if (Number.isNaN(left)) return { text: until, left: Infinity };
  if (left <= 0) return { text: t("over"), left };
  const seconds = Math.floor(left / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  const parts =
    days > 0
      ? [quantity(days, "day"), quantity(hours % 24, "hour")]
      : hours > 0
        ? [quantity(hours, "hour"), quantity(minutes % 60, "minute")]
        : minutes > 0
          ? [quantity(minutes, "minute")]
          : [quantity(seconds, "second")];
  return { text: parts.join(" "), left };
}

const DURATION = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:\d+S)?)?$/;

/**
 * `PT1H30M` as `1 h 30 min`; any other text as it is.
 * @param {string} duration
 */
export function formatDuration(duration) {
  const [, ...counts] = DURATION.exec(duration) ?? [];
  const units = ["week", "day", "hour", "minute"];
  const parts = units.flatMap((unit, index) =>
    Number(counts[index] ?? 0) > 0 ? [quantity(Number(counts[index]), unit)] : [],
  );
  return parts.length > 0 ? parts.join(" ") : duration;
}

/**
 * `240 kB`
 * @param {number} bytes
 */
export function size(bytes) {
  if (bytes < 1_000) return quantity(bytes, "byte");
  if (bytes < 1_000_000) return quantity(bytes / 1_000, "kilobyte");
  return quantity(bytes / 1_000_000, "megabyte");
}

/** @param {number} amount @param {string} currency */
export const formatMoney = (amount, currency) =>
  formatted(
    (locale) => new Intl.NumberFormat(locale, { style: "currency", currency }).format(amount),
    `${amount} ${currency}`,
  );

/** @param {number} value @param {string} unit */
const quantity = (value, unit) =>
  formatted(
    (locale) =>
      new Intl.NumberFormat(locale, {
        style: "unit",
        unit,
        unitDisplay: "short",
        maximumFractionDigits: value < 10 ? 1 : 0,
      }).format(value),
    `${value} ${unit}`,
  );
