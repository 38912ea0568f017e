/** Reads RSS 2.0, RSS 1.0 and Atom. Feeds in the wild are often not well-formed, so it only looks for known elements. */
import { htmlToText } from "../../channels/email/html-to-text.ts";
import { toOneLine } from "../../mess/one-line.ts";
import { decodeText, listTags, readAttributes, type XmlTag } from "./xml-tags.ts";

export interface FeedEntry {
  /** The publisher's id of the entry: `guid`, `id` or the link. */
  id?: string;
  title?: string;
  link?: string;
  author?: string;
  /** As it is written. */
  date?: string;
  /** Plain text. */
  body: string;
  categories: string[];
  /** The element of the entry. */
  xml: string;
}

export interface Feed {
  title?: string;
  /** In the order of the document, which is mostly that of the newest first. */
  entries: FeedEntry[];
}

const ROOTS = ["rss", "rdf", "feed", "channel"];
const ENTRY_NAMES = ["item", "entry"];
const MAX_ENTRIES = 1_000;
const MAX_CATEGORIES = 20;

/** Elements that are read, the preferred first. */
const FIELDS = {
  id: ["guid", "id"],
  title: ["title"],
  link: ["link"],
  author: ["creator", "author"],
  date: ["published", "pubdate", "date", "updated", "modified", "issued"],
  body: ["encoded", "content", "description", "summary"],
  category: ["category"],
};
/** `source` repeats the title and id of another feed. */
const FIELD_NAMES: ReadonlySet<string> = new Set([...Object.values(FIELDS).flat(), "source"]);

/** An element of an entry. */
interface Field {
  name: string;
  attributes: Map<string, string>;
  /** Its content as it is written. */
  xml: string;
}

/** Undefined if it is no feed. */
export function parseFeed(xml: string): Feed | undefined {
  const feed: Feed = { entries: [] };
  let isFeed = false;
  let entry: { start: number; name: string; about?: string; fields: Field[] } | undefined;
  let field: { tag: XmlTag; depth: number } | undefined;
  for (const tag of listTags(xml)) {
    if (!isFeed && tag.type !== "close") {
      if (!ROOTS.includes(tag.name)) return undefined;
      isFeed = true;
    } else if (entry && tag.type === "close" && tag.name === entry.name) {
      const { start, about, fields } = entry;
      feed.entries.push(buildEntry(fields, about, xml.slice(start, tag.end)));
      if (feed.entries.length >= MAX_ENTRIES) return feed;
      [entry, field] = [undefined, undefined];
    } else if (field) {
      if (tag.name !== field.tag.name || tag.type === "empty") continue;
      field.depth += tag.type === "open" ? 1 : -1;
      if (field.depth > 0) continue;
      const content = xml.slice(field.tag.end, tag.start);
      const read = { name: tag.name, attributes: readAttributes(xml, field.tag), xml: content };
      if (entry) entry.fields.push(read);
      else feed.title ??= readTitle(read);
      field = undefined;
    } else if (tag.type === "open" && ENTRY_NAMES.includes(tag.name)) {
      const about = readAttributes(xml, tag).get("rdf:about");
      entry = { start: tag.start, name: tag.name, fields: [], ...(about ? { about } : {}) };
    } else if (tag.type === "open" && (entry ? FIELD_NAMES.has(tag.name) : tag.name === "title"))
      field = { tag, depth: 1 };
    else if (tag.type === "empty" && entry && FIELD_NAMES.has(tag.name))
      entry.fields.push({ name: tag.name, attributes: readAttributes(xml, tag), xml: "" });
  }
  return isFeed ? feed : undefined;
}

function buildEntry(fields: readonly Field[], about: string | undefined, xml: string): FeedEntry {
  const findText = (names: readonly string[], read: (field: Field) => string): string | undefined =>
    names
      .flatMap((name) => fields.filter((field) => field.name === name))
      .map((field) => read(field))
      .find((text) => text !== "");
  const link = findText(FIELDS.link, readLink);
  const id = findText(FIELDS.id, readLine) ?? about ?? link;
  const title = findText(FIELDS.title, readTitle);
  const author = findText(FIELDS.author, readAuthor);
  const date = findText(FIELDS.date, readLine);
  const categories = fields.filter(({ name }) => FIELDS.category.includes(name));
  return {
    ...(id === undefined ? {} : { id }),
    ...(title === undefined ? {} : { title }),
    ...(link === undefined ? {} : { link }),
    ...(author === undefined ? {} : { author }),
    ...(date === undefined ? {} : { date }),
    body: findText(FIELDS.body, readBody) ?? "",
    categories: categories
      .slice(0, MAX_CATEGORIES)
      .map((field) => field.attributes.get("term") ?? readLine(field))
      .filter((text) => text !== ""),
    xml,
  };
}

const readLine = ({ xml }: Pick<Field, "xml">): string => toOneLine(decodeText(xml).toWellFormed());

/** Atom names the link in an attribute, with other links of the entry beside it. */
function readLink(field: Field): string {
  const href = field.attributes.get("href");
  if (href === undefined) return readLine(field);
  return (field.attributes.get("rel") ?? "alternate") === "alternate" ? toOneLine(href) : "";
}

const readTitle = (field: Field): string => {
  const type = field.attributes.get("type");
  return type === "html" || type === "xhtml" ? toOneLine(readBody(field)) : readLine(field);
};

/** Atom has the name in an element of its own. */
function readAuthor(field: Field): string {
  const tags = [...listTags(field.xml)];
  const open = tags.find(({ name, type }) => name === "name" && type === "open");
  const close = tags.find(({ name, type }) => name === "name" && type === "close");
  return readLine({ xml: open && close ? field.xml.slice(open.end, close.start) : field.xml });
}

function readBody({ attributes, xml }: Field): string {
  const type = attributes.get("type");
  const html = type === "xhtml" ? xml : decodeText(xml);
  const isHtml = type !== "text" && /<[a-z!/]|&[#a-z]/i.test(html);
  return (isHtml ? htmlToText(html, { keepsQuotations: true }) : html)
    .replaceAll(/\r\n?/g, "\n")
    .trim()
    .toWellFormed();
}
