/** The text of a stranger: never markup, and its links apart from it, each with the name of its site. */
import { h } from "../../respond/ui/dom.js";
import { getTools, messageText } from "./texts.js";

/** Longer texts are shown in part until the person wants all. */
const MAX_SHOWN_CHARS = 3_000;
const MAX_LINKS = 50;
const END_OF_SENTENCE = ".,;:!?'»”";
const ADDRESS = /https?:\/\/[^\s<>"()[\]]{1,2000}/g;

/** @param {string} body @param {boolean} isWhole @param {() => void} showAll */
export function buildText(body, isWhole, showAll) {
  if (body.trim() === "") return h("p", { class: "faint" }, messageText("empty_body"));
  const isCut = !isWhole && body.length > MAX_SHOWN_CHARS;
  return h(
    "div",
    {},
    h(
      "p",
      { class: "ms-text", dir: "auto", tabindex: "-1" },
      isCut ? `${body.slice(0, MAX_SHOWN_CHARS).trimEnd()} …` : body,
    ),
    isCut &&
      h(
        "button",
        { type: "button", class: "quiet", on: { click: showAll } },
        messageText("show_all"),
      ),
  );
}

/** @param {string} body */
export function buildLinks(body) {
  const links = listLinks(body);
  if (links.length === 0) return undefined;
  return h(
    "details",
    { class: "ms-details" },
    h("summary", {}, messageText("links", { n: getTools().formatNumber(links.length) })),
    h("p", { class: "faint" }, messageText("links_how")),
    h("ul", { class: "ms-links" }, ...links.map(buildLink)),
  );
}

/** @param {string} body */
export function listLinks(body) {
  const found = [...body.matchAll(ADDRESS)].map(([address]) => stripPunctuation(address));
  return [...new Set(found)]
    .filter((address) => URL.canParse(address))
    .map((address) => new URL(address))
    .slice(0, MAX_LINKS);
}

/** Without the end of the sentence in which the address stands. @param {string} address */
function stripPunctuation(address) {
  let end = address.length;
  while (end > 0 && END_OF_SENTENCE.includes(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

/** `host` is in ASCII, so that a look-alike letter of another alphabet shows. @param {URL} url */
const buildLink = ({ href, host }) =>
  h(
    "li",
    {},
    h(
      "a",
      { href, target: "_blank", rel: "noopener noreferrer nofollow", dir: "ltr" },
      h("strong", {}, host),
      h("span", { class: "faint" }, href),
    ),
  );
