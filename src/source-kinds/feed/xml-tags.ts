/**
 * Finds the tags of XML, well-formed or not, in one pass. It knows no entities but the five of XML, reads no document
 * type, and fetches nothing (decision 163).
 */

export interface XmlTag {
  /** In lower case, without the prefixes that feeds use for their own vocabularies. */
  name: string;
  type: "open" | "close" | "empty";
  /** Positions of `<` and after `>`. */
  start: number;
  end: number;
}

/** A tag without an end within so many characters ends the reading, which keeps it linear. */
const MAX_TAG_CHARS = 16_384;

const OWN_PREFIXES = ["atom", "rss", "dc", "dcterms", "content", "rdf"];

/** Sections that are not tags, with their ends. */
const SECTIONS = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<?", "?>"],
] as const;

export function* listTags(xml: string): Generator<XmlTag> {
  let at = 0;
  for (;;) {
    const start = xml.indexOf("<", at);
    if (start === -1) return;
    const end = findSectionEnd(xml, start) ?? findTagEnd(xml, start);
    if (end === -1) return;
    at = end;
    const tag = readTag(xml, start, end);
    if (tag) yield tag;
  }
}

/** The end of a comment, CDATA or processing instruction; -1 if it has none. Undefined for a tag. */
function findSectionEnd(xml: string, start: number): number | undefined {
  const section = SECTIONS.find(([open]) => xml.startsWith(open, start));
  if (!section) return xml.startsWith("<!", start) ? findDoctypeEnd(xml, start) : undefined;
  const [open, close] = section;
  const found = xml.indexOf(close, start + open.length);
  return found === -1 ? -1 : found + close.length;
}

/** With the declarations in brackets, which are skipped. */
function findDoctypeEnd(xml: string, start: number): number {
  const close = xml.indexOf(">", start);
  const bracket = xml.slice(start, close === -1 ? start : close).includes("[");
  if (!bracket) return close === -1 ? -1 : close + 1;
  const end = xml.indexOf("]", start);
  const last = end === -1 ? -1 : xml.indexOf(">", end);
  return last === -1 ? -1 : last + 1;
}

/** The position after `>`, which may also stand in a quoted value; -1 if the tag is too long. */
function findTagEnd(xml: string, start: number): number {
  const limit = Math.min(xml.length, start + MAX_TAG_CHARS);
  let quote = "";
  for (let at = start + 1; at < limit; at++) {
    const character = xml[at]!;
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === ">") return at + 1;
    else if (character === '"' || character === "'") quote = character;
  }
  return -1;
}

const NAME_PATTERN = /^[A-Za-z_][\w:.-]{0,99}/;

function readTag(xml: string, start: number, end: number): XmlTag | undefined {
  const isClosing = xml[start + 1] === "/";
  const from = start + (isClosing ? 2 : 1);
  const [written] = NAME_PATTERN.exec(xml.slice(from, Math.min(end, from + 100))) ?? [];
  if (written === undefined) return undefined;
  const [prefix, local] = written.toLowerCase().split(":", 2);
  const name =
    local !== undefined && OWN_PREFIXES.includes(prefix!) ? local : written.toLowerCase();
  const isEmpty = xml[end - 2] === "/";
  return { name, type: isClosing ? "close" : isEmpty ? "empty" : "open", start, end };
}

/** The quoted attributes of a tag, with their names in lower case. */
export function readAttributes(xml: string, { start, end }: XmlTag): Map<string, string> {
  const text = xml.slice(start, end);
  const attributes = new Map<string, string>();
  let at = 0;
  for (;;) {
    const equals = text.indexOf("=", at);
    if (equals === -1) return attributes;
    const name = text.slice(at, equals).trim().split(/\s/).at(-1)!.toLowerCase();
    let open = equals + 1;
    while (/\s/.test(text[open] ?? "")) open++;
    const quote = text[open];
    const close = quote === '"' || quote === "'" ? text.indexOf(quote, open + 1) : -1;
    if (close === -1) return attributes;
    if (!attributes.has(name)) attributes.set(name, decodeEntities(text.slice(open + 1, close)));
    at = close + 1;
  }
}

const CDATA_START = "<![CDATA[";
const CDATA_END = "]]>";

/** The text of an element that has no other elements in it. */
export function decodeText(xml: string): string {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const start = xml.indexOf(CDATA_START, at);
    parts.push(decodeEntities(xml.slice(at, start === -1 ? undefined : start)));
    if (start === -1) break;
    const end = xml.indexOf(CDATA_END, start);
    parts.push(xml.slice(start + CDATA_START.length, end === -1 ? undefined : end));
    if (end === -1) break;
    at = end + CDATA_END.length;
  }
  return parts.join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** Replaces each reference once. Others than those of XML stay as they are. */
const decodeEntities = (text: string): string =>
  text.replaceAll(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g,
    (whole, ten, hex, name) => {
      if (typeof name === "string") return ENTITIES[name] ?? whole;
      const code = typeof ten === "string" ? Number(ten) : Number.parseInt(hex as string, 16);
      const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : "\ufffd";
    },
  );
