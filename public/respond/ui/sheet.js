/** A modal bottom sheet, closed by Escape, its button or a tap outside. */
import { h, icon, newId } from "./dom.js";
import { t } from "./i18n.js";

/**
 * @param {string} title
 * @param {(Node | undefined | false)[]} body
 * @param {{ closed?: () => void }} [options]
 * @returns {HTMLDialogElement}
 */
export function openSheet(title, body, { closed } = {}) {
  const id = newId();
  /** @type {HTMLDialogElement} */
  const dialog = h(
    "dialog",
    { class: "sheet", "aria-labelledby": id },
    h(
      "div",
      { class: "sheet-head" },
      h("h2", { id, dir: "auto" }, title),
      h(
        "button",
        {
          class: "round",
          type: "button",
          "aria-label": t("close"),
          on: { click: () => dialog.close() },
        },
        icon("close"),
      ),
    ),
    h("div", { class: "sheet-body" }, ...body),
  );
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    closed?.();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
