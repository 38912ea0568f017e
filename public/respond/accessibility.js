/** Telling what changed to those who do not see it. */
import { byId } from "./dom.js";

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * Said by a screen reader when it has a pause.
 * @param {string} text
 */
export function announce(text) {
  const place = byId("announcer", HTMLElement);
  place.textContent = "";
  clearTimeout(timer);
  // The same words twice are heard twice only if they went away in between.
  timer = setTimeout(() => (place.textContent = text), 60);
}

export const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Brings an element into view without a ride for those who do not want one.
 * @param {Element} element
 * @param {ScrollLogicalPosition} [block]
 */
export const reveal = (element, block = "nearest") =>
  element.scrollIntoView({ behavior: isCalm() ? "instant" : "smooth", block });
