/** Builds the controls of a form's fields: each gives a value, takes one, and shows its error beside itself. */
import { checkValue } from "./check-values.js";
import { fill, h, icon, newId } from "../ui/dom.js";
import { choiceControl, textControl, yesNoControl } from "./fields.js";
import { maybe, t } from "../ui/i18n.js";
import { lines } from "../thread/messages.js";

/**
 * @typedef {{
 *   element: HTMLElement,
 *   value: () => Json | undefined,
 *   set: (value: any) => void,
 *   check: () => HTMLElement | undefined,
 * }} FormField `check` shows the errors and returns the first field that has one
 * @typedef {{
 *   changed: () => void,
 *   addPhotos: (spec: FieldSpec, files: File[]) => void,
 *   listPhotos: (key: string) => string[],
 * }} FormHost
 */

/** `monthly_rent` as `Monthly rent`, for a field that has no other label. @param {string} key */
const keyLabel = (key) => {
  const words = key.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** @param {FieldSpec} spec */
export const fieldLabel = ({ key, label, type }) =>
  label === "" ? (maybe(`field_${type}`) ?? key) : label === key ? keyLabel(key) : label;

/** Types of inputs by type of field. @type {Partial<Record<FieldSpec["type"], string>>} */
const INPUT_TYPES = {
  number: "number",
  integer: "number",
  date: "date",
  time: "time",
  datetime: "datetime-local",
  email: "email",
  url: "url",
};
const MAX_STARS = 5;
const MAX_RATING_BUTTONS = 11;

/** @param {FieldSpec} spec */
function getHint({ hint, type, min, max }) {
  const bounds = ["number", "integer"].includes(type) ? describeBounds(min, max) : "";
  return [hint, bounds].filter(Boolean).join(" ") || undefined;
}

/** @param {number | undefined} min @param {number | undefined} max */
function describeBounds(min, max) {
  if (min !== undefined && max !== undefined) return t("between", { min, max });
  if (min !== undefined) return t("value_min", { n: min });
  return max === undefined ? "" : t("value_max", { n: max });
}

/** Value of an input in the form in which it is sent. @param {FieldSpec} spec @param {string} text */
function readInput({ type }, text) {
  if (text === "") return undefined;
  if (type === "number" || type === "integer") return Number(text);
  // The input holds local time without an offset.
  if (type === "datetime" && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString();
  return text;
}

/** @param {FieldSpec} spec @param {Json | undefined} value */
function writeInput({ type }, value) {
  if (type !== "datetime" || typeof value !== "string") return value;
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** @param {FieldSpec} spec @param {FormHost} host @returns {import("./fields.js").Control} */
function buildControl(spec, host) {
  const label = fieldLabel(spec);
  const { changed } = host;
  const { required, other } = spec;
  const choice = { changed, required, other, hint: spec.hint, clearable: !required };
  const options = (spec.options ?? []).map(
    (name, index) => /** @type {const} */ ([spec.values?.[index] ?? name, name]),
  );
  switch (spec.type) {
    case "choice":
      return choiceControl(label, options, choice);
    case "choices":
      return choiceControl(label, options, { ...choice, many: true });
    case "boolean":
      return yesNoControl(label, { changed, required, hint: spec.hint, clearable: !required });
    case "rating": {
      const [first, last] = [spec.min ?? 1, spec.max ?? MAX_STARS];
      if (last - first >= MAX_RATING_BUTTONS) break;
      const steps = Array.from({ length: last - first + 1 }, (_, index) => first + index);
      return choiceControl(
        label,
        steps.map((step) => /** @type {const} */ ([step, String(step)])),
        choice,
      );
    }
    case "photo":
      return buildPhotoControl(spec, label, host);
    case "list":
      return buildListControl(spec, label, host);
    default:
  }
  const type = INPUT_TYPES[spec.type] ?? (spec.type === "rating" ? "number" : undefined);
  const control = textControl(label, {
    changed,
    required,
    hint: getHint(spec),
    ...(type === undefined ? { rows: 2 } : { type }),
  });
  const input = control.element.querySelector("input");
  if (input && type === "number") {
    input.step = spec.type === "number" ? "any" : "1";
    input.inputMode = spec.type === "number" ? "decimal" : "numeric";
  }
  return {
    element: control.element,
    value: () => {
      // A browser gives no text of a number that it cannot read.
      if (input?.validity.badInput) return Number.NaN;
      return readInput(spec, control.value());
    },
    set: (value) => control.set?.(writeInput(spec, value)),
  };
}

/** The pictures are among the answer's other files; the value names them. @param {FieldSpec} spec @param {string} label @param {FormHost} host */
function buildPhotoControl(spec, label, host) {
  const names = h("p", { class: "faint", role: "status" });
  const input = h("input", { type: "file", accept: "image/*", hidden: true });
  const list = () => host.listPhotos(spec.key);
  const show = () => fill(names, list().join(", "));
  input.addEventListener("change", () => {
    host.addPhotos(spec, [...(input.files ?? [])]);
    input.value = "";
  });
  const button = h(
    "button",
    { type: "button", class: "secondary", on: { click: () => input.click() } },
    icon("camera"),
    h("span", {}, t("add_photo")),
  );
  const element = h(
    "div",
    { class: "field", role: "group", "aria-label": label },
    h(
      "p",
      { class: "field-label", dir: "auto" },
      label,
      spec.required ? ` (${t("required")})` : "",
    ),
    button,
    input,
    names,
  );
  return { element, value: () => (show(), list()[0]), set: show };
}

/** One text a line; the entries of a list of groups are built by `buildField`. @param {FieldSpec} spec @param {string} label @param {FormHost} host */
function buildListControl({ items, required }, label, { changed }) {
  const control = textControl(label, { rows: 3, hint: t("one_a_line"), required, changed });
  const isNumeric = items?.type === "number" || items?.type === "integer";
  return {
    element: control.element,
    value: () => {
      const texts = lines(control.value());
      return texts.length === 0 ? undefined : isNumeric ? texts.map(Number) : texts;
    },
    set: (/** @type {any} */ value) => control.set?.([value ?? []].flat().join("\n")),
  };
}

/** @param {FieldSpec} spec @param {FormHost} host @returns {FormField} */
export function buildField(spec, host) {
  if (spec.type === "group") return buildGroup(spec, host);
  if (spec.type === "list" && spec.items?.type === "group") return buildEntries(spec, host);
  const control = buildControl(spec, host);
  const showFieldError = addErrorText(control.element);
  return {
    element: control.element,
    value: () => control.value(),
    set: (value) => control.set?.(value),
    check: () => {
      const problem = checkValue(spec, control.value()) ?? checkItems(spec, control.value());
      return showFieldError(problem && t(problem.word, problem.values))
        ? control.element
        : undefined;
    },
  };
}

/** @param {FieldSpec} spec @param {Json | undefined} value */
const checkItems = ({ type, items }, value) =>
  type === "list" && items && Array.isArray(value)
    ? value.map((one) => checkValue(items, one)).find(Boolean)
    : undefined;

/** Adds a line for the error to a field; the result shows or hides it. @param {HTMLElement} element */
function addErrorText(element) {
  const id = newId();
  const place = h("p", { class: "field-error", id, role: "alert", hidden: true });
  element.append(place);
  return (/** @type {string | undefined} */ words) => {
    place.hidden = words === undefined;
    place.textContent = words ?? "";
    for (const input of element.querySelectorAll("input, textarea")) {
      if (words === undefined) input.removeAttribute("aria-invalid");
      else input.setAttribute("aria-invalid", "true");
      if (words !== undefined) input.setAttribute("aria-describedby", id);
    }
    return words !== undefined;
  };
}

/** A nested object. @param {FieldSpec} spec @param {FormHost} host @returns {FormField} */
function buildGroup(spec, host) {
  const rows = (spec.fields ?? []).map((one) => ({ spec: one, row: buildField(one, host) }));
  const element = h(
    "fieldset",
    { class: "field nested" },
    h("legend", { dir: "auto" }, fieldLabel(spec)),
    ...rows.map(({ row }) => row.element),
  );
  const read = () => {
    const entries = rows.map(({ spec: { key }, row }) => [key, row.value()]);
    const given = entries.filter(([, value]) => value !== undefined);
    return given.length > 0 ? Object.fromEntries(given) : undefined;
  };
  return {
    element,
    value: read,
    set: (value) => {
      for (const { spec: one, row } of rows) row.set(value?.[one.key]);
    },
    // An optional object that is left out lacks nothing.
    check: () =>
      read() === undefined && !spec.required
        ? undefined
        : rows.map(({ row }) => row.check()).find(Boolean),
  };
}

/** A list of objects, each with its own fields. @param {FieldSpec} spec @param {FormHost} host @returns {FormField} */
function buildEntries(spec, host) {
  /** @type {FormField[]} */
  let rows = [];
  const list = h("div", { class: "stack" });
  const add = (/** @type {any} */ value) => {
    const items = /** @type {FieldSpec} */ (spec.items);
    const label = `${fieldLabel(spec)} ${rows.length + 1}`;
    const row = buildGroup({ ...items, label, required: false }, host);
    row.set(value);
    rows.push(row);
    list.append(row.element);
  };
  const more = h("button", { type: "button", class: "quiet" }, t("add_entry"));
  more.addEventListener("click", () => add(undefined));
  const element = h("div", { class: "field" }, list, more);
  const showFieldError = addErrorText(element);
  const read = () => {
    const given = rows.map((row) => row.value()).filter((value) => value !== undefined);
    return given.length > 0 ? given : undefined;
  };
  const set = (/** @type {any} */ value) => {
    rows = [];
    list.replaceChildren();
    const given = Array.isArray(value) && value.length > 0 ? value : [undefined];
    for (const one of given) add(one);
  };
  set(undefined);
  return {
    element,
    value: read,
    set,
    check: () => {
      const problem = checkValue(spec, read());
      if (showFieldError(problem && t(problem.word, problem.values))) return element;
      return rows.map((row) => row.check()).find(Boolean);
    },
  };
}
