/** The form for the values that a request asks for. */
import { fill } from "./dom.js";
import { choiceControl, textControl, yesNoControl } from "./fields.js";
import { maybe, t } from "./i18n.js";

/** @param {FieldSpec} spec @param {() => void} changed @returns {import("./fields.js").Control} */
function toControl(spec, changed) {
  const label = spec.label || (maybe(`field_${spec.type}`) ?? spec.key);
  const options = (spec.options ?? []).map((one) => /** @type {const} */ ([one, one]));
  switch (spec.type) {
    case "choice":
      return choiceControl(label, options, { changed });
    case "choices":
      return choiceControl(label, options, { many: true, changed });
    case "boolean":
      return yesNoControl(label, { changed });
    case "number":
      return textControl(label, { type: "number", changed, ...bounds(spec) });
    case "date":
      return textControl(label, { type: "date", changed });
    default:
      return textControl(label, { rows: 2, changed });
  }
}

/** @param {FieldSpec} spec */
const bounds = ({ min, max }) =>
  min === undefined && max === undefined
    ? {}
    : { hint: t("between", { min: min ?? "…", max: max ?? "…" }) };

export class AnswerForm {
  /** @type {{ spec: FieldSpec, control: import("./fields.js").Control }[]} */
  #rows = [];
  #drawn = "";

  /** @param {HTMLElement} place @param {() => void} changed */
  constructor(place, changed) {
    this.place = place;
    this.changed = changed;
  }

  /** @returns {FieldSpec[]} */
  get fields() {
    return this.#rows.map(({ spec }) => spec);
  }

  /** Draws the form, only if the fields changed, so that entered values are not lost. @param {FieldSpec[]} fields */
  draw(fields) {
    const same = JSON.stringify(fields);
    if (same === this.#drawn) return;
    this.#drawn = same;
    this.#rows = fields.map((spec) => ({ spec, control: toControl(spec, this.changed) }));
    for (const { spec, control } of this.#rows) {
      const input = control.element.querySelector("input");
      if (spec.type !== "number" || !input) continue;
      input.step = "any";
      input.inputMode = "decimal";
      if (spec.min !== undefined) input.min = String(spec.min);
      if (spec.max !== undefined) input.max = String(spec.max);
    }
    fill(this.place, ...this.#rows.map(({ control }) => control.element));
    this.place.hidden = fields.length === 0;
  }

  /** @returns {{ [key: string]: Json }} the values entered, by key */
  values() {
    const given = this.#rows.map(({ spec, control }) => [spec.key, plain(spec, control.value())]);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined));
  }

  /** @param {{ [key: string]: Json }} values */
  set(values) {
    for (const { spec, control } of this.#rows) control.set?.(values[spec.key]);
  }

  /** Focuses the first invalid number and returns its label. @returns {string | undefined} */
  invalid() {
    for (const { spec, control } of this.#rows) {
      const input = control.element.querySelector("input");
      if (spec.type === "number" && input && !input.checkValidity()) {
        input.focus();
        return spec.label || spec.key;
      }
    }
    return undefined;
  }
}

/** @param {FieldSpec} spec @param {any} value */
const plain = ({ type }, value) => {
  if (type === "number")
    return value === "" || Number.isNaN(Number(value)) ? undefined : Number(value);
  return value === "" ? undefined : value;
};
