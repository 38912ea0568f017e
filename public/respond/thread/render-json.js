/** Renders JSON as tables: a list of records as rows, a map as names and values. Depth and rows are limited. */
import { h } from "../ui/dom.js";
import { maybe, t } from "../ui/i18n.js";

const MAX_DEPTH = 6;
const MAX_ROWS = 200;

/** @param {unknown} value @returns {value is JsonMap} */
const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * `expires_at` as `expires at`.
 * @param {string} key
 */
const heading = (key) => key.replaceAll(/[_-]+/g, " ");

/**
 * @param {Json} value
 * @param {number} [depth]
 * @returns {HTMLElement}
 */
export function renderJson(value, depth = 0) {
  if (depth > MAX_DEPTH) return h("span", { class: "faint" }, "…");
  if (Array.isArray(value) && depth > 0 && value.every((one) => !Array.isArray(one) && !isMap(one)))
    return h("span", { dir: "auto" }, value.slice(0, MAX_ROWS).map(toText).join(", ") || "–");
  if (Array.isArray(value))
    return depth === 0 && isRecords(value) ? records(value, depth) : list(value, depth);
  if (isMap(value)) return depth === 0 ? pairs(value, depth) : lines(value, depth);
  return h("span", { dir: "auto" }, toText(value));
}

/** A map inside a table, as lines: tables in tables are hard to read on a phone. @param {JsonMap} map @param {number} depth */
const lines = (map, depth) =>
  h(
    "ul",
    { class: "lines" },
    ...Object.entries(map)
      .slice(0, MAX_ROWS)
      .map(([name, value]) =>
        h(
          "li",
          {},
          h("span", { class: "faint", dir: "auto" }, heading(name)),
          " ",
          renderJson(value, depth + 1),
        ),
      ),
  );

/** @param {Json} value */
export const toText = (value) =>
  value === null
    ? "–"
    : typeof value === "boolean"
      ? (maybe(value ? "yes" : "no") ?? "")
      : String(value);

/** @param {Json[]} value @returns {value is JsonMap[]} */
const isRecords = (value) =>
  value.length > 1 && value.every(isMap) && new Set(value.flatMap(Object.keys)).size <= 8;

/** @param {JsonMap[]} rows @param {number} depth */
function records(rows, depth) {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  return scrolling(
    h(
      "table",
      { class: "data" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...columns.map((name) => h("th", { scope: "col", dir: "auto" }, heading(name))),
        ),
      ),
      h(
        "tbody",
        {},
        ...rows
          .slice(0, MAX_ROWS)
          .map((row) =>
            h(
              "tr",
              {},
              ...columns.map((name) => h("td", {}, renderJson(row[name] ?? null, depth + 1))),
            ),
          ),
      ),
    ),
    rows.length,
  );
}

/** @param {JsonMap} map @param {number} depth */
function pairs(map, depth) {
  const rows = Object.entries(map);
  return scrolling(
    h(
      "table",
      { class: "data" },
      h(
        "tbody",
        {},
        ...rows
          .slice(0, MAX_ROWS)
          .map(([name, value]) =>
            h(
              "tr",
              {},
              h("th", { scope: "row", dir: "auto" }, heading(name)),
              h("td", {}, renderJson(value, depth + 1)),
            ),
          ),
      ),
    ),
    rows.length,
  );
}

/** @param {Json[]} items @param {number} depth */
function list(items, depth) {
  if (items.length === 0) return h("span", {}, "–");
  const rows = items.slice(0, MAX_ROWS).map((item) => h("li", {}, renderJson(item, depth + 1)));
  return h("ul", { class: "plain" }, ...rows, items.length > MAX_ROWS && h("li", {}, "…"));
}

/** A wide table scrolls horizontally, also by keyboard. @param {HTMLTableElement} table @param {number} rows */
const scrolling = (table, rows) =>
  h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": t("table") },
    table,
    rows > MAX_ROWS && h("p", { class: "faint" }, "…"),
  );
