/** Full-screen view of an image; a tap switches between fitted and original size. */
import { h, icon } from "../ui/dom.js";
import { t } from "../ui/i18n.js";

/** @param {string} src @param {string} name */
export function enlarge(src, name) {
  const image = h("img", { src, alt: name });
  const dialog = h("dialog", { class: "zoom", "aria-label": name });
  const close = () => dialog.close();
  const toggle = () => dialog.classList.toggle("whole");
  dialog.append(
    h("div", { class: "zoomed", tabindex: "0", on: { click: toggle } }, image),
    h(
      "button",
      { class: "round close", type: "button", "aria-label": t("close"), on: { click: close } },
      icon("close"),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
