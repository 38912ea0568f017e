/** The words of a mail that has no plain text: its HTML without markup, up to the mail that it quotes. */
import { strip } from "../../mess/strip.ts";

/** Characters that are looked at; no person writes more. */
const MOST = 1024 * 1024;

/** What these hold is not for reading. */
const UNREAD = ["style", "script", "head", "title", "noscript", "template"];
const BREAKS = ["br", "p", "div", "tr", "li", "h1", "h2", "h3", "h4", "ul", "ol", "table", "hr"];

/** Names that mail programs give the `div` in which the old mail begins. */
const QUOTES = /\b(?:gmail_quote|yahoo_quoted|moz-cite-prefix|divRplyFwdMsg|appendonsend)\b/i;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/** One pass over the text, so that no markup keeps it busy. */
export function textOfHtml(html: string): string {
  const source = html.slice(0, MOST);
  const lower = source.toLowerCase();
  let text = "";
  let at = 0;
  for (;;) {
    const open = source.indexOf("<", at);
    text += spaced(source.slice(at, open < 0 ? undefined : open));
    if (open < 0) break;
    const comment = source.startsWith("<!--", open);
    const close = source.indexOf(comment ? "-->" : ">", open);
    if (close < 0) break;
    at = close + (comment ? 3 : 1);
    if (comment) continue;
    const tag = source.slice(open + 1, Math.min(close, open + 400));
    const name = /^\/?([a-z][a-z0-9]*)/i.exec(tag)?.[1]?.toLowerCase() ?? "";
    if (/^blockquote\b/i.test(tag) || (/^div\b/i.test(tag) && QUOTES.test(tag))) break;
    if (BREAKS.includes(name)) text += "\n";
    if (!UNREAD.includes(name) || tag.startsWith("/")) continue;
    const end = lower.indexOf(`</${name}`, at);
    if (end < 0) break;
    at = end;
  }
  return unescaped(text)
    .split("\n")
    .map((line) => strip(line, " \t"))
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

const spaced = (text: string): string => text.replaceAll(/\s+/g, " ");

const unescaped = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, ten, hex, name) => {
    if (typeof name === "string") return ENTITIES[name.toLowerCase()] ?? whole;
    const code = typeof ten === "string" ? Number(ten) : Number.parseInt(hex as string, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
