/** Screen reader announcements and scrolling. */
import { byId } from "./dom.js";

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * Announces a text through the page's polite live region.
 * @param {string} text
 */
export function announce(text) {
  const place = byId("announcer", HTMLElement);
  place.textContent = "";
  clearTimeout(timer);
  // Screen readers repeat a text only if it was removed in between.
  timer = setTimeout(() => (place.textContent = text), 60);
}

export const prefersLessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Scrolls an element into view, without animation if the person prefers reduced motion.
 * @param {Element} element
 * @param {ScrollLogicalPosition} [block]
 */
export const reveal = (element, block = "nearest") =>
  element.scrollIntoView({ behavior: prefersLessMotion() ? "instant" : "smooth", block });
