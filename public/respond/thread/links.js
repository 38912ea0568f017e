/** Makes web addresses and phone numbers in the text of others tappable. Builds elements, never HTML. */

/** An address up to the next space or bracket, or a number of 7 to 15 digits that begins with + or 0. */
const TARGET = /https?:\/\/[^\s<>"()]{1,2000}|(?<![\w+])[+0]\d(?:[ /-]?\d){5,13}(?!\w)/g;
const CLOSING = ".,;:!?'»”";

/** Removes a sentence's own punctuation, which is not part of the address. @param {string} text */
function stripClosing(text) {
  let end = text.length;
  while (end > 0 && CLOSING.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** @param {string} found @returns {HTMLAnchorElement | undefined} */
function buildLink(found) {
  const link = document.createElement("a");
  link.textContent = found;
  link.dir = "ltr";
  if (!found.startsWith("http")) {
    link.href = `tel:${found.replaceAll(/[^+\d]/g, "")}`;
    return link;
  }
  if (!URL.canParse(found)) return undefined;
  link.href = found;
  link.target = "_blank";
  link.rel = "noopener noreferrer nofollow";
  return link;
}

/** @param {Text} node */
function linkText(node) {
  const text = node.data;
  /** @type {(string | Node)[]} */
  const parts = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(TARGET)) {
    const found = stripClosing(match);
    const link = buildLink(found);
    if (!link) continue;
    parts.push(text.slice(end, index), link);
    end = index + found.length;
  }
  if (parts.length > 0) node.replaceWith(...parts, text.slice(end));
}

/** @param {Element} element */
export function addLinks(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const nodes = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement?.closest("a, code, pre")) nodes.push(/** @type {Text} */ (node));
  for (const node of nodes) linkText(node);
}
