/** The form in which an owner writes or changes a draft. Saving sends nothing. */
import { fill, h, newId } from "../../respond/ui/dom.js";
import { getFailureText, messageText } from "./texts.js";

/** As the server bounds them. */
const MAX_TEXT_CHARS = 50_000;
const MAX_SUBJECT_CHARS = 998;

/** @typedef {{ to: string[], subject: string, body: string }} DraftFields */

/**
 * @param {Partial<DraftFields>} fields of a reply, only the text is asked for
 * @param {{ save: (fields: Partial<DraftFields>) => Promise<unknown>, cancel: () => void, onOutcome?: (error: unknown) => boolean }} on
 * `onOutcome` returns true if it has explained the failure itself
 */
export function buildDraftEditor(fields, on) {
  const ids = { to: newId(), subject: newId(), body: newId() };
  const to = h("input", {
    id: ids.to,
    type: "text",
    dir: "auto",
    inputmode: "email",
    autocomplete: "off",
    value: fields.to?.join(", ") ?? "",
    "aria-describedby": `${ids.to}-how`,
  });
  const subject = h("input", {
    id: ids.subject,
    type: "text",
    dir: "auto",
    autocomplete: "off",
    maxlength: MAX_SUBJECT_CHARS,
    value: fields.subject ?? "",
  });
  const body = h("textarea", {
    id: ids.body,
    rows: 5,
    dir: "auto",
    maxlength: MAX_TEXT_CHARS,
    value: fields.body ?? "",
  });
  const problem = h("div", { role: "alert" });
  let isSaving = false;

  async function save() {
    if (isSaving) return;
    if (body.value.trim() === "") return body.focus();
    isSaving = true;
    fill(problem);
    const recipients = to.value.split(",").map((one) => one.trim());
    try {
      await on.save({
        body: body.value,
        ...(fields.to ? { to: recipients.filter((one) => one !== "") } : {}),
        ...(fields.to && subject.value !== (fields.subject ?? "")
          ? { subject: subject.value }
          : {}),
      });
    } catch (error) {
      if (!on.onOutcome?.(error)) fill(problem, h("p", { class: "field-error" }, explain(error)));
    } finally {
      isSaving = false;
    }
  }

  const element = h(
    "form",
    {
      class: "stack ms-editor",
      on: {
        submit: (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          void save();
        },
        keydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save();
          if (event.key === "Escape") on.cancel();
        },
      },
    },
    fields.to && buildField(ids.to, messageText("to"), to, messageText("to_how")),
    fields.to && buildField(ids.subject, messageText("subject"), subject),
    buildField(ids.body, messageText("text"), body),
    problem,
    h(
      "div",
      { class: "ms-actions" },
      h("button", { type: "submit", class: "primary", data: { act: "save" } }, messageText("save")),
      h(
        "button",
        { type: "button", class: "secondary", on: { click: on.cancel } },
        messageText("cancel"),
      ),
    ),
  );
  return { element, focus: () => body.focus() };
}

/** The server names a wrong address or a text that is too long better than a general sentence. @param {any} error */
const explain = (error) => (error.status === 400 ? error.message : getFailureText(error));

/** @param {string} id @param {string} label @param {HTMLElement} input @param {string} [how] */
const buildField = (id, label, input, how) =>
  h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    input,
    how && h("p", { class: "faint", id: `${id}-how` }, how),
  );
