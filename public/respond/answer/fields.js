/** Form controls with a label, each of which returns a plain value. */
import { fill, h, icon, newId } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { lines } from "../thread/messages.js";

/** @typedef {{ element: HTMLElement, value: () => any, set?: (value: any) => void }} Control */

/** @param {string} label @param {{ value?: string, rows?: number, type?: string, hint?: string | undefined, required?: boolean | undefined, changed?: () => void }} [options] @returns {Control} */
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
      h("label", { for: id, dir: "auto" }, ...marked(label, required)),
      hint && h("p", { class: "faint", id: `${id}-hint`, dir: "auto" }, hint),
      input,
    ),
    value: () => input.value,
    set: (next) => (input.value = next === undefined ? "" : String(next)),
  };
}

/** A label, marked if the field must be filled in. @param {string} label @param {boolean | undefined} required */
const marked = (label, required) => [
  label,
  required ? h("span", { class: "faint" }, ` (${t("required")})`) : null,
];

/**
 * Large radio buttons, or checkboxes if `many`.
 * @param {string} label
 * @param {readonly (readonly [value: any, name: string])[]} options
 * @param {{ value?: any, many?: boolean, hint?: string | undefined, required?: boolean | undefined, other?: boolean | undefined, clearable?: boolean, changed?: () => void }} [given]
 * @returns {Control}
 */
export function choiceControl(
  label,
  options,
  {
    value,
    many = false,
    hint,
    required,
    other = false,
    clearable = false,
    changed = () => {},
  } = {},
) {
  const name = newId();
  const own = other
    ? h("input", {
        type: "text",
        dir: "auto",
        "aria-label": t("other_what"),
        placeholder: t("other_what"),
      })
    : undefined;
  own?.addEventListener("input", changed);
  const update = () => {
    if (own) own.hidden = inputs.at(-1)?.input.checked !== true;
    clear.hidden = !clearable || many || !inputs.some(({ input }) => input.checked);
  };
  const change = () => {
    update();
    changed();
  };
  const inputs = [...options.map(([, text]) => text), ...(other ? [t("other")] : [])].map(
    (text) => {
      const input = h("input", { type: many ? "checkbox" : "radio", name, on: { change } });
      return {
        input,
        row: h("label", { class: "option" }, input, h("span", { dir: "auto" }, text)),
      };
    },
  );
  const clear = h("button", { type: "button", class: "quiet clear" }, t("clear_choice"));
  clear.addEventListener("click", () => {
    set(undefined);
    changed();
    inputs[0]?.input.focus();
  });
  const set = (/** @type {any} */ next) => {
    const chosen = many ? [next ?? []].flat() : next === undefined ? [] : [next];
    const rest = chosen.filter((one) => !options.some(([known]) => known === one));
    for (const [index, { input }] of inputs.entries())
      input.checked =
        index < options.length ? chosen.includes(options[index]?.[0]) : rest.length > 0;
    if (own) own.value = rest.join(", ");
    update();
  };
  set(value);
  return {
    element: h(
      "fieldset",
      { class: "field" },
      h("legend", { dir: "auto" }, ...marked(label, required)),
      hint && h("p", { class: "faint", dir: "auto" }, hint),
      h("div", { class: "options" }, ...inputs.map(({ row }) => row)),
      own,
      clear,
    ),
    value: () => {
      const chosen = inputs.flatMap(({ input }, index) => {
        if (!input.checked) return [];
        return index < options.length ? [options[index]?.[0]] : [own?.value.trim()].filter(Boolean);
      });
      return many ? (chosen.length > 0 ? chosen : undefined) : chosen[0];
    },
    set,
  };
}

/** @param {string} label @param {{ value?: boolean | undefined, required?: boolean | undefined, clearable?: boolean, hint?: string | undefined, changed?: () => void }} [given] */
export const yesNoControl = (label, given = {}) =>
  choiceControl(
    label,
    [
      [true, t("yes")],
      [false, t("no")],
    ],
    given,
  );

/** A percentage that has no value until the person moves it. @param {string} label @returns {Control} */
export function percentControl(label) {
  const id = newId();
  const output = h("output", { for: id }, "–");
  const input = h("input", {
    id,
    type: "range",
    min: 0,
    max: 100,
    step: 5,
    value: "0",
    "aria-valuetext": "–",
  });
  let isMoved = false;
  input.addEventListener("input", () => {
    isMoved = true;
    output.textContent = t("percent", { n: Number(input.value) });
    input.setAttribute("aria-valuetext", output.textContent);
  });
  return {
    element: h("div", { class: "field" }, h("label", { for: id }, label), output, input),
    value: () => (isMoved ? Number(input.value) : undefined),
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
