/** The field with which an owner writes to all agents of a group. */
import { fill, h, icon, newId } from "../../respond/ui/dom.js";
import { getTools, groupText } from "./texts.js";

/** As the server bounds it. */
const MAX_CHARS = 16_000;

/** @param {string} path of the group @param {string} query @param {() => Promise<void>} onSent */
export function buildComposer(path, query, onSent) {
  // One key for each text: a repeated attempt of the same text is delivered once.
  let key = newId();
  let isSending = false;
  const label = h("label", { for: "ag-text" });
  const hint = h("p", { class: "faint", id: "ag-how" });
  const problem = h("div", { role: "alert" });
  const field = h("textarea", {
    id: "ag-text",
    rows: 1,
    maxlength: MAX_CHARS,
    dir: "auto",
    "aria-describedby": "ag-how",
    on: {
      input: () => {
        key = newId();
        fill(problem);
        redraw();
      },
    },
  });
  const button = h("button", { type: "submit", class: "primary" });

  function redraw() {
    label.textContent = groupText("all_label");
    hint.textContent = groupText("all_how");
    fill(button, icon("send"), h("span", {}, groupText(isSending ? "sending" : "send")));
  }

  async function send() {
    const text = field.value.trim();
    if (isSending) return;
    if (text === "") return field.focus();
    isSending = true;
    field.readOnly = true;
    fill(problem);
    redraw();
    try {
      const response = await getTools().call(`${path}/announcements?${query}`, {
        method: "POST",
        json: { text },
        headers: { "Idempotency-Key": key },
      });
      const { members } = await response.json();
      field.value = "";
      key = newId();
      getTools().announce(groupText("sent", { n: members }));
      await onSent();
    } catch (error) {
      const isOffline = /** @type {{ status?: number }} */ (error).status === 0;
      fill(
        problem,
        h("p", { class: "field-error" }, groupText(isOffline ? "send_offline" : "send_failed")),
      );
    } finally {
      isSending = false;
      field.readOnly = false;
      redraw();
    }
  }

  const element = h(
    "form",
    {
      class: "ag-composer",
      on: {
        submit: (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          void send();
        },
        keydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send();
        },
      },
    },
    label,
    hint,
    problem,
    h("div", { class: "ag-line" }, field, button),
  );
  redraw();
  return { element, redraw };
}
