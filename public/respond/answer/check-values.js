/** Checks the values of a form by its fields. Pure; the server checks JSON Schemas again. */

/** @typedef {{ word: import("../ui/i18n.js").Word, values?: Record<string, string | number> }} Fault */

/** @param {unknown} value */
const isMissing = (value) =>
  value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

/**
 * The error in the value of a field; undefined if the value is valid. Entries of groups and lists are checked apart.
 * @param {FieldSpec} spec
 * @param {unknown} value
 * @returns {Fault | undefined}
 */
export function checkValue(spec, value) {
  if (isMissing(value)) return spec.required ? { word: "value_required" } : undefined;
  switch (spec.type) {
    case "number":
    case "integer":
    case "rating":
      return checkNumber(spec, Number(value));
    case "choices":
    case "list":
      return checkCount(spec, Array.isArray(value) ? value.length : 1);
    case "email":
      return /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(String(value))
        ? undefined
        : { word: "value_email" };
    case "url":
      return URL.canParse(String(value)) ? undefined : { word: "value_url" };
    case "date":
    case "datetime":
      return Number.isNaN(Date.parse(String(value))) ? { word: "value_date" } : undefined;
    case "text":
      return checkLength(spec, String(value).length);
    default:
      return undefined;
  }
}

/** @param {FieldSpec} spec @param {number} value @returns {Fault | undefined} */
function checkNumber({ type, min, max }, value) {
  if (Number.isNaN(value)) return { word: "value_number" };
  if (type !== "number" && !Number.isInteger(value)) return { word: "value_integer" };
  if (min !== undefined && value < min) return { word: "value_min", values: { n: min } };
  if (max !== undefined && value > max) return { word: "value_max", values: { n: max } };
  return undefined;
}

/** @param {FieldSpec} spec @param {number} count @returns {Fault | undefined} */
function checkCount({ min, max }, count) {
  if (min !== undefined && count < min) return { word: "value_few", values: { n: min } };
  if (max !== undefined && count > max) return { word: "value_many", values: { n: max } };
  return undefined;
}

/** @param {FieldSpec} spec @param {number} length @returns {Fault | undefined} */
function checkLength({ minLength, maxLength }, length) {
  if (minLength !== undefined && length < minLength)
    return { word: "value_short", values: { n: minLength } };
  if (maxLength !== undefined && length > maxLength)
    return { word: "value_long", values: { n: maxLength } };
  return undefined;
}
