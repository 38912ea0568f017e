/**
 * Renders text of others as Markdown after the first paint: parsed by marked, sanitized by DOMPurify. Images, forms,
 * styles and scripts are removed; links open in a new tab without a referrer.
 */

import { addLinks } from "./links.js";

const ALLOWED_TAGS = [
  "p",
  "br",
  "strong",
  "em",
  "del",
  "code",
  "pre",
  "blockquote",
  "ul",
  "ol",
  "li",
  "a",
  "h3",
  "h4",
  "h5",
  "h6",
  "table",
  "thead",
  "tbody",
  "tr",
  "th",
  "td",
  "hr",
];
const MARKDOWN_PATTERN = /[*_`#>|~[\]]|^[ \t]*[-+\d]/m;

/** @type {Promise<(text: string) => Node> | undefined} */
let reader;

async function loadReader() {
  const [{ Marked }] = await Promise.all([
    import("/vendor/marked.js"),
    import("/vendor/dompurify.js"),
  ]);
  const { DOMPurify } = window;
  if (!DOMPurify) throw new Error("DOMPurify did not load");
  DOMPurify.addHook("afterSanitizeAttributes", (node) => {
    if (node.tagName !== "A") return;
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  });
  // HTML in the text is shown as text.
  const marked = new Marked({
    gfm: true,
    breaks: true,
    renderer: { html: ({ text }) => escapeHtml(text) },
  });
  return (/** @type {string} */ text) =>
    DOMPurify.sanitize(marked.parse(text, { async: false }), {
      ALLOWED_TAGS,
      ALLOWED_ATTR: ["href", "title", "start"],
      ALLOWED_URI_REGEXP: /^(?:https?|mailto|tel):/i,
      RETURN_DOM_FRAGMENT: true,
    });
}

/** @param {string} text */
const escapeHtml = (text) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** Text without Markdown, and all text if the parser does not load, only gets links. */
export async function upgradeMarkdown() {
  const all = [...document.querySelectorAll("[data-markdown]")];
  await renderMarkdown(all);
  for (const element of all) addLinks(element);
}

/** @param {readonly Element[]} all */
async function renderMarkdown(all) {
  const waiting = all.filter((element) => {
    element.removeAttribute("data-markdown");
    return MARKDOWN_PATTERN.test(element.textContent ?? "");
  });
  if (waiting.length === 0) return;
  try {
    reader ??= loadReader();
    const read = await reader;
    for (const element of waiting) {
      element.replaceChildren(read(element.textContent ?? ""));
      element.classList.add("rich");
    }
  } catch {
    reader = undefined;
  }
}
