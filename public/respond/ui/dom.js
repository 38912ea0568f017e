/** Creates elements, never from HTML strings, so that text of others cannot inject markup. */

const SVG = "http://www.w3.org/2000/svg";

/** SVG paths on a 24 by 24 grid, drawn as strokes. */
const ICONS = {
  camera: "M4 8h3l2-3h6l2 3h3v11H4zM12 16.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z",
  images: "M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 4M15.5 9.5h.01",
  mic: "M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM5 11a7 7 0 0 0 14 0M12 18v3",
  video: "M3 6h12v12H3zM15 10.5l6-3.5v10l-6-3.5z",
  file: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  place:
    "M12 21s-7-6.2-7-11.5a7 7 0 0 1 14 0C19 14.8 12 21 12 21zM12 12a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  gear: "M12 15.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM12 2.5v3M12 18.5v3M2.5 12h3M18.5 12h3M5.3 5.3l2.1 2.1M16.6 16.6l2.1 2.1M5.3 18.7l2.1-2.1M16.6 7.4l2.1-2.1",
  check: "M4.5 12.5l5 5 10-11",
  close: "M6 6l12 12M18 6L6 18",
  ban: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM5.7 5.7l12.6 12.6",
  up: "M12 19V5M6 11l6-6 6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  crop: "M6 2v16h16M2 6h16v16",
  rotate: "M20 4v5h-5M19.4 9A8 8 0 1 0 20 13",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2",
  cloud: "M7 18a4 4 0 0 1-.5-8 6 6 0 0 1 11.3 1.2A3.5 3.5 0 0 1 17.5 18z",
  warn: "M12 3.5L2.5 20h19zM12 10v4.5M12 17.2v.01",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.7 5.7L12 17",
  stop: "M7 7h10v10H7z",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  half: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 3v18M12 8h8M12 12h9M12 16h8",
  hand: "M7 12V6.5a1.5 1.5 0 0 1 3 0V11V4.5a1.5 1.5 0 0 1 3 0V11V5.5a1.5 1.5 0 0 1 3 0V12V8.5a1.5 1.5 0 0 1 3 0V15a6 6 0 0 1-6 6h-1a6 6 0 0 1-5-3l-3-5a1.5 1.5 0 0 1 2.5-1.5z",
  send: "M4 12l16-8-6 16-3-6.5zM11 13.5L20 4",
  question:
    "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 .8-1 1.7M12 16.8v.01",
  approve: "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM8.5 12l2.5 2.5 4.5-5",
  idea: "M9 18h6M10 21h4M8.5 15a6 6 0 1 1 7 0z",
  note: "M5 4h14v11l-5 5H5zM14 20v-5h5M8.5 9h7M8.5 12.5h4",
  forward: "M4 18v-2a5 5 0 0 1 5-5h11M15 6l5 5-5 5",
};

/** @typedef {keyof typeof ICONS} Icon */

/** Icons that are mirrored where the text runs from right to left. @type {readonly Icon[]} */
const DIRECTIONAL = ["send", "forward", "question"];

/**
 * @typedef {{
 *   class?: string | undefined,
 *   on?: Record<string, (event: any) => unknown>,
 *   data?: Record<string, string>,
 *   [attribute: string]: unknown
 * }} Props
 * @typedef {Node | string | number | null | undefined | false} Child
 */

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Props} [props] attributes; `true` sets an empty one, `false`, null and undefined set none
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  const { on = {}, data = {}, ...attributes } = props;
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "value" && "value" in element) Object.assign(element, { value });
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [name, value] of Object.entries(data)) element.dataset[name] = value;
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  element.append(...nodes(children));
  return element;
}

/**
 * @param {(Child | Child[])[]} children
 * @returns {(Node | string)[]}
 */
const nodes = (children) =>
  children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === "number" ? String(child) : child));

/**
 * Replaces the children of an element.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export const fill = (element, ...children) => element.replaceChildren(...nodes(children));

/**
 * Like `fill`, but leaves children alone that are already there, so that media keeps playing and opened details
 * stay open.
 * @param {Element} element
 * @param {HTMLElement[]} children
 */
export function arrange(element, children) {
  const staying = new Set(children);
  const leaving = [...element.children].filter(
    (child) => !(child instanceof HTMLElement && staying.has(child)),
  );
  for (const child of leaving) child.remove();
  for (const [index, child] of children.entries())
    if (element.children[index] !== child)
      element.insertBefore(child, element.children[index] ?? null);
}

/** @type {Map<string, HTMLElement[]>} */
const cache = new Map();

/**
 * Caches elements until the value they show, or the language, changes.
 * @param {string} place
 * @param {unknown} shown
 * @param {() => HTMLElement[]} make
 */
export function memo(place, shown, make) {
  const key = `${place} ${document.documentElement.lang} ${JSON.stringify(shown)}`;
  const made = cache.get(key) ?? make();
  cache.set(key, made);
  return made;
}

/** @param {Icon} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", DIRECTIONAL.includes(name) ? "icon directional" : "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/**
 * @template {Element} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function byId(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`no ${type.name} with the id ${id}`);
  return found;
}

/** A random id for queue items, files and form controls. */
export const newId = () => crypto.randomUUID();
