/** The form for the values that a request asks for. */
import { fill } from "../ui/dom.js";
import { buildField, fieldLabel } from "./form-fields.js";

export class AnswerForm {
  /** @type {{ spec: FieldSpec, row: import("./form-fields.js").FormField }[]} */
  #rows = [];
  #drawn = "";

  /** @param {HTMLElement} place @param {import("./form-fields.js").FormHost} host */
  constructor(place, host) {
    this.place = place;
    this.host = host;
  }

  /** @returns {FieldSpec[]} */
  get fields() {
    return this.#rows.map(({ spec }) => spec);
  }

  /** Draws the form, only if the fields changed, so that entered values are not lost. @param {FieldSpec[]} fields */
  draw(fields) {
    const same = JSON.stringify([fields, document.documentElement.lang]);
    if (same === this.#drawn) return;
    const entered = this.#drawn === "" ? undefined : this.values();
    this.#drawn = same;
    this.#rows = fields.map((spec) => ({ spec, row: buildField(spec, this.host) }));
    for (const { spec, row } of this.#rows) row.set(entered ? entered[spec.key] : spec.default);
    fill(this.place, ...this.#rows.map(({ row }) => row.element));
    this.place.hidden = fields.length === 0;
  }

  /** @returns {{ [key: string]: Json }} the values entered, by key */
  values() {
    const given = this.#rows.map(({ spec, row }) => [spec.key, row.value()]);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined));
  }

  /** @param {{ [key: string]: Json }} values */
  set(values) {
    for (const { spec, row } of this.#rows) row.set(values[spec.key]);
  }

  /** Shows all errors, focuses the first invalid field and returns its label. @returns {string | undefined} */
  check() {
    const checked = this.#rows.map(({ spec, row }) => ({ spec, invalid: row.check() }));
    const first = checked.find(({ invalid }) => invalid !== undefined);
    const input = first?.invalid?.querySelector("input, textarea, button");
    if (input instanceof HTMLElement) input.focus();
    return first && fieldLabel(first.spec);
  }
}
