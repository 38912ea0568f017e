/**
 * Converts the HTML of a mail without plain text to text. Each quotation becomes one line `>`, as plain mails mark it, so
 * that `extractReplyText` keeps the answers between quotations.
 */
import { strip } from "../../mess/strip.ts";

/** Maximum characters that are read. No person writes more. */
const MAX_CHARS = 1024 * 1024;

/** Elements whose content is not shown. */
const SKIPPED_ELEMENTS = ["style", "script", "head", "title", "noscript", "template"];
const LINE_BREAK_ELEMENTS = [
  "br",
  "p",
  "div",
  "tr",
  "li",
  "h1",
  "h2",
  "h3",
  "h4",
  "ul",
  "ol",
  "table",
  "hr",
];

/** Classes and ids of the `div` after which Yahoo and Outlook quote the earlier mail up to the end. */
const OLD_MAIL_PATTERN = /\b(?:yahoo_quoted|divRplyFwdMsg|appendonsend)\b/i;
/** Classes of the `div` that begins with `On … wrote:`, in whatever language; a `blockquote` follows in it or below. */
const INTRODUCTION_PATTERN = /\b(?:gmail_quote|gmail_attr|moz-cite-prefix)\b/i;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/** Decides which parts are left out: quotations with those inside them, and the introduction before a quotation. */
class QuotationSkipper {
  #quotations = 0;
  /** Open `div`s of the introduction. */
  #introductionDivs = 0;

  get isSkipping(): boolean {
    return this.#quotations > 0 || this.#introductionDivs > 0;
  }

  /** Returns whether a quotation begins that is not inside another. */
  enterTag(name: string, tag: string): boolean {
    const isClosing = tag.startsWith("/");
    if (name === "blockquote") {
      this.#introductionDivs = 0;
      this.#quotations = Math.max(0, this.#quotations + (isClosing ? -1 : 1));
      return this.#quotations === 1 && !isClosing;
    }
    const isIntroduction = !isClosing && INTRODUCTION_PATTERN.test(tag);
    if (name === "div" && this.#quotations === 0 && (this.#introductionDivs > 0 || isIntroduction))
      this.#introductionDivs += isClosing ? -1 : 1;
    return false;
  }
}

/**
 * Takes one pass, so that no markup can make it slow.
 * @param keepsQuotations shows quoted mails, of which a forwarded one is the content
 */
export function htmlToText(html: string, { keepsQuotations = false } = {}): string {
  const source = html.slice(0, MAX_CHARS);
  const lower = source.toLowerCase();
  const skipper = new QuotationSkipper();
  let text = "";
  let at = 0;
  for (;;) {
    const tagStart = source.indexOf("<", at);
    if (!skipper.isSkipping)
      text += collapseSpace(source.slice(at, tagStart < 0 ? undefined : tagStart));
    if (tagStart < 0) break;
    const comment = source.startsWith("<!--", tagStart);
    const close = source.indexOf(comment ? "-->" : ">", tagStart);
    if (close < 0) break;
    at = close + (comment ? 3 : 1);
    if (comment) continue;
    const tag = source.slice(tagStart + 1, Math.min(close, tagStart + 400));
    const name = /^\/?([a-z][a-z0-9]*)/i.exec(tag)?.[1]?.toLowerCase() ?? "";
    if (!keepsQuotations && name === "div" && !skipper.isSkipping && OLD_MAIL_PATTERN.test(tag))
      break;
    if (!keepsQuotations && skipper.enterTag(name, tag)) text += "\n>\n";
    if (!skipper.isSkipping && LINE_BREAK_ELEMENTS.includes(name)) text += "\n";
    if (!SKIPPED_ELEMENTS.includes(name) || tag.startsWith("/")) continue;
    const end = lower.indexOf(`</${name}`, at);
    if (end < 0) break;
    at = end;
  }
  return unescapeEntities(text)
    .split("\n")
    .map((line) => strip(line, " \t"))
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

const collapseSpace = (text: string): string => text.replaceAll(/\s+/g, " ");

const unescapeEntities = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, ten, hex, name) => {
    if (typeof name === "string") return ENTITIES[name.toLowerCase()] ?? whole;
    const code = typeof ten === "string" ? Number(ten) : Number.parseInt(hex as string, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
