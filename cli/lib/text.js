/** Texts for a terminal. Other people wrote most of them, so that they must not control the terminal. */

/** Control characters, also those that begin terminal sequences, and characters that change the direction of text. */
const UNSAFE = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** @param {string} text */
const countCharacters = (text) => Array.from(text).length;

/** @param {number} value */
const writeTwoDigits = (value) => String(value).padStart(2, "0");

/** @param {unknown} text */
export const toSafeText = (text) =>
  String(text).replaceAll("\r\n", "\n").replaceAll(UNSAFE, "\ufffd");

/** On one line, shortened. @param {unknown} text @param {number} width */
export function toLine(text, width) {
  const line = toSafeText(text).replaceAll(/\s+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length > width
    ? `${characters.slice(0, Math.max(1, width - 1)).join("")}…`
    : line;
}

/** @param {string} text @param {string} prefix */
export const indent = (text, prefix) => text.replaceAll(/^/gm, prefix);

/**
 * A table without lines; the last column takes the rest of the width.
 * @param {readonly string[]} titles
 * @param {readonly (readonly unknown[])[]} rows
 * @param {number} width of the terminal
 */
export function writeTable(titles, rows, width) {
  const cells = rows.map((row) => row.map((cell) => toLine(cell ?? "", 400)));
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => countCharacters(row[column] ?? ""))),
  );
  const used = widths.slice(0, -1).reduce((sum, one) => sum + one + 2, 0);
  const last = Math.max(20, width - used);
  return [titles.map((title) => title.toUpperCase()), ...cells]
    .map((row) =>
      row
        .map((cell, column) =>
          column === titles.length - 1
            ? toLine(cell, last)
            : cell + " ".repeat((widths[column] ?? 0) - countCharacters(cell)),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A number of bytes for people. @param {number} bytes */
export function formatBytes(bytes) {
  const units = ["B", "KB", "MB", "GB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** An instant in the time zone of this machine. @param {unknown} time ISO 8601 */
export function formatTime(time) {
  const date = new Date(String(time));
  if (Number.isNaN(date.getTime())) return toSafeText(time ?? "");
  return `${date.getFullYear()}-${writeTwoDigits(date.getMonth() + 1)}-${writeTwoDigits(date.getDate())} ${writeTwoDigits(date.getHours())}:${writeTwoDigits(date.getMinutes())}`;
}
