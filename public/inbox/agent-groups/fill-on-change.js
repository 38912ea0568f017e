/** Replaces the children of an element only if they change, so that the focus and a screen reader keep their place. */
import { fill } from "../../respond/ui/dom.js";

/** @type {WeakMap<Element, string>} */
const filled = new WeakMap();

/**
 * @param {Element} element
 * @param {unknown} shown all values that the children show, beside the language
 * @param {() => import("../../respond/ui/dom.js").Child[]} build
 */
export function fillOnChange(element, shown, build) {
  const key = `${document.documentElement.lang} ${JSON.stringify(shown)}`;
  if (filled.get(element) === key) return;
  filled.set(element, key);
  fill(element, ...build());
}
