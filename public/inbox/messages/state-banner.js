/** Says that something could not be loaded, or that it is shown as it was before. */
import { fill, h } from "../../respond/ui/dom.js";
import { hasCode } from "./api.js";
import { messageText } from "./texts.js";

/**
 * @param {HTMLElement} place
 * @param {unknown} problem of the last attempt; undefined if it succeeded
 * @param {boolean | undefined} isStored whether the device's copy is shown
 * @param {() => Promise<void>} reload
 */
export function drawStateBanner(place, problem, isStored, reload) {
  if (!problem && !isStored) return fill(place);
  const isGone = hasCode(problem, "not_found");
  const isOffline = isStored || /** @type {{ status?: number }} */ (problem).status === 0;
  fill(
    place,
    h(
      "p",
      { class: "banner warn" },
      h("span", {}, messageText(isGone ? "gone" : isOffline ? "offline_note" : "failed")),
      !isGone &&
        h(
          "button",
          { type: "button", class: "quiet", on: { click: () => void reload() } },
          messageText("again"),
        ),
    ),
  );
}
