/** Form controls with a label, each of which returns a plain value. */
import { fill, h, icon, newId } from "./dom.js";
import { t } from "./i18n.js";
import { lines } from "./messages.js";

/** @typedef {{ element: HTMLElement, value: () => any, set?: (value: any) => void }} Control */

/** @param {string} label @param {{ value?: string, rows?: number, type?: string, hint?: string, required?: boolean, changed?: () => void }} [options] @returns {Control} */
export function textControl(
  label,
  { value = "", rows = 1, type = "text", hint, required, changed = () => {} } = {},
) {
  const id = newId();
  const shared = { id, value, dir: "auto", required, maxlength: 20_000, on: { input: changed } };
  const input =
    rows > 1
      ? h("textarea", { ...shared, rows })
      : h("input", { ...shared, type, autocomplete: "off" });
  if (hint) input.setAttribute("aria-describedby", `${id}-hint`);
  return {
    element: h(
      "div",
      { class: "field" },
      h("label", { for: id, dir: "auto" }, label),
      hint && h("p", { class: "faint", id: `${id}-hint` }, hint),
      input,
    ),
    value: () => input.value,
    set: (next) => (input.value = next === undefined ? "" : String(next)),
  };
}

/**
 * Large radio buttons, or checkboxes if `many`.
 * @param {string} label
 * @param {readonly (readonly [value: any, name: string])[]} options
 * @param {{ value?: any, many?: boolean, hint?: string, changed?: () => void }} [given]
 * @returns {Control}
 */
export function choiceControl(label, options, { value, many = false, changed = () => {} } = {}) {
  const name = newId();
  const inputs = options.map(([, text]) => {
    const input = h("input", { type: many ? "checkbox" : "radio", name, on: { change: changed } });
    return { input, row: h("label", { class: "option" }, input, h("span", { dir: "auto" }, text)) };
  });
  const set = (/** @type {any} */ next) => {
    for (const [index, { input }] of inputs.entries()) {
      const own = options[index]?.[0];
      input.checked = many ? Array.isArray(next) && next.includes(own) : own === next;
    }
  };
  set(value);
  return {
    element: h(
      "fieldset",
      { class: "field" },
      h("legend", { dir: "auto" }, label),
      h("div", { class: "options" }, ...inputs.map(({ row }) => row)),
    ),
    value: () => {
      const chosen = inputs.flatMap(({ input }, index) =>
        input.checked ? [options[index]?.[0]] : [],
      );
      return many ? (chosen.length > 0 ? chosen : undefined) : chosen[0];
    },
    set,
  };
}

/** @param {string} label @param {{ value?: boolean, changed?: () => void }} [given] */
export const yesNoControl = (label, given = {}) =>
  choiceControl(
    label,
    [
      [true, t("yes")],
      [false, t("no")],
    ],
    given,
  );

/** @param {string} label @param {number} value @returns {Control} */
export function percentControl(label, value) {
  const id = newId();
  const output = h("output", { for: id }, t("percent", { n: value }));
  const input = h("input", { id, type: "range", min: 0, max: 100, step: 5, value: String(value) });
  input.addEventListener("input", () => (output.textContent = t("percent", { n: input.value })));
  return {
    element: h("div", { class: "field" }, h("label", { for: id }, label), output, input),
    value: () => Number(input.value),
  };
}

/** Questions to the requestor, each with optional answers to choose from. @returns {Control} */
export function questionsControl() {
  /** @type {{ question: Control, options: Control }[]} */
  const rows = [];
  const list = h("div", { class: "stack" });
  const add = () => {
    const question = textControl(t("question_n", { n: rows.length + 1 }), { rows: 2 });
    const options = textControl(t("question_options"), {
      hint: t("question_options_hint"),
      rows: 2,
    });
    rows.push({ question, options });
    list.append(h("div", { class: "card" }, question.element, options.element));
    question.element.querySelector("textarea")?.focus();
  };
  const button = h(
    "button",
    { type: "button", class: "quiet", on: { click: add } },
    t("question_more"),
  );
  const element = h("div", { class: "stack" }, list, button);
  add();
  return {
    element,
    value: () =>
      rows.flatMap(({ question, options }, index) => {
        const text = question.value().trim();
        const offered = lines(options.value());
        const id = `q${index + 1}`;
        return text === ""
          ? []
          : [
              {
                id,
                field: id,
                question: text,
                ...(offered.length > 0 ? { options: offered } : {}),
              },
            ];
      }),
  };
}

/**
 * Shows an error in a form; screen readers announce it.
 * @param {HTMLElement} place
 * @param {string} text empty removes the error
 */
export function showError(place, text) {
  place.setAttribute("role", "alert");
  if (text === "") fill(place);
  else fill(place, h("p", { class: "banner bad" }, icon("warn"), h("span", {}, text)));
}
