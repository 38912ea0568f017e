/** The bar with which an owner takes an approval back during the seconds before the message is sent. */
import { h } from "../../respond/ui/dom.js";
import { getTools, messageText } from "./texts.js";

const TICK_MS = 250;
/** After its time, the server is asked so often what became of the message. */
const POLL_MS = 1_000;
const MAX_POLLS = 60;

/** A message that is sent later than this shows its time, and no countdown. */
export const MAX_COUNTDOWN_MS = 60_000;

/**
 * @param {string} sendAt ISO 8601
 * @param {{ undo: () => void, poll: () => Promise<unknown> }} on
 */
export function buildUndoBar(sendAt, on) {
  const left = () => Math.max(0, Date.parse(sendAt) - getTools().now());
  // Screen readers get the time once, by an announcement: a counting text would interrupt them each second.
  const text = h("p", { "aria-hidden": "true" });
  const undo = h(
    "button",
    { type: "button", class: "secondary", data: { act: "undo" }, on: { click: on.undo } },
    messageText("undo"),
  );
  const stripe = h("span", { class: "countdown", "aria-hidden": "true" });
  stripe.style.animationDuration = `${left()}ms`;
  const element = h("div", { class: "send calm ms-undo" }, text, undo, stripe);
  let polls = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const tick = () => {
    const seconds = Math.ceil(left() / 1_000);
    text.textContent =
      seconds > 0
        ? messageText("sending_in", { n: getTools().formatNumber(seconds) })
        : messageText("sending");
    if (seconds > 0) {
      timer = setTimeout(tick, TICK_MS);
      return;
    }
    if (polls++ < MAX_POLLS) timer = setTimeout(() => void on.poll().finally(tick), POLL_MS);
  };
  tick();
  return {
    element,
    focus: () => undo.focus(),
    getSeconds: () => Math.ceil(left() / 1_000),
    close: () => clearTimeout(timer),
  };
}
