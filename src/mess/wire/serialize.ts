/**
 * Writing YAML, so that YAML 1.1 and 1.2 readers agree on every value (decision 54). The text is a block tree with
 * three kinds of scalar: plain for words that no reader mistakes, literal blocks for lines of text, JSON's double
 * quotes for all the rest. A stranger's text therefore never begins a line at column 0 and cannot forge a document.
 *
 * Not left to the `yaml` package's emitter, which takes ten times as long for a thread of a thousand messages and
 * loses a leading byte order mark; its parser, in both versions, is what the tests compare with.
 */
import { isMap, type Json } from "../json.ts";
import { stripEnd } from "../strip.ts";

/** Begins with a letter and holds no sign that ends or begins anything; words with a meaning are told apart below. */
const PLAIN_TEXT_PATTERN = /^[\p{L}](?:[^\p{C}\p{Zl}\p{Zp}:#]|:(?![ \u00a0]|$)|(?<![ \u00a0])#)*$/u;
/** Refs of threads and messages: longer than a date, so no reader takes them for one. */
const REF_PATTERN = /^\d{4}-\d{2}-\d{2}-\d{3}(?:[/-]*[a-z0-9])*$/;
/** What readers of YAML 1.1 take for a boolean, for null, or for a number without digits before its exponent. */
const RESERVED_WORD_PATTERN = /^(?:y|n|yes|no|on|off|true|false|null|e[-+]?\d+)$/i;

/** Characters that YAML does not allow in clear, and those that some readers take for the end of a line. */
// oxlint-disable-next-line no-control-regex
const UNSAFE_PATTERN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\p{Cs}/u;
// oxlint-disable-next-line no-control-regex
const ESCAPED_PATTERN = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A key longer than this needs YAML's explicit form (YAML 1.2, 8.2.2: at most 1,024 characters). */
const MAX_KEY_CHARS = 500;

const quoteText = (text: string): string =>
  JSON.stringify(text).replaceAll(
    ESCAPED_PATTERN,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const isPlainText = (text: string): boolean =>
  (PLAIN_TEXT_PATTERN.test(text) && !text.endsWith(" ") && !RESERVED_WORD_PATTERN.test(text)) ||
  REF_PATTERN.test(text);

/** `1e+21` is text to YAML 1.1, which wants a dot. */
const writeNumber = (value: number): string => JSON.stringify(value).replace(/^(-?\d+)e/, "$1.0e");

/** Lines as they stand, where that is safe; undefined where quotes must do it. */
function writeLiteral(text: string, indent: string): string | undefined {
  if (!text.includes("\n") || UNSAFE_PATTERN.test(text)) return undefined;
  // The end of a block is ambiguous where its last line is blank but not empty.
  const body = stripEnd(text, "\n");
  if (body === "" || /(?:^|\n)[ \t]+$/.test(body)) return undefined;
  const breaks = text.length - body.length;
  const chomp = breaks === 0 ? "-" : breaks === 1 ? "" : "+";
  const lead = /^[ \t\n]/.test(text) ? "2" : "";
  const lines = body.replaceAll(/^(?!$)/gm, indent);
  return `|${lead}${chomp}\n${lines}${"\n".repeat(Math.max(0, breaks - 1))}`;
}

function writeScalar(value: Exclude<Json, object> | null, indent: string): string {
  if (typeof value === "string")
    return isPlainText(value) ? value : (writeLiteral(value, indent) ?? quoteText(value));
  return typeof value === "number" ? writeNumber(value) : String(value);
}

const isEmptyCollection = (value: object): boolean =>
  Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;

/** The entries of a collection, joined by line ends, the first without its indent. */
function writeBlock(value: object, indent: string): string {
  const inner = `${indent}  `;
  const lines: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value as Json[]) {
      const nested = typeof item === "object" && item !== null && !isEmptyCollection(item);
      lines.push(`- ${nested ? writeBlock(item, inner) : writeLeaf(item, inner)}`);
    }
  } else {
    for (const [key, item] of Object.entries(value as { [key: string]: Json })) {
      const name = isPlainText(key) ? key : quoteText(key);
      const lead = name.length > MAX_KEY_CHARS ? `? ${name}\n${indent}:` : `${name}:`;
      const nested = typeof item === "object" && item !== null && !isEmptyCollection(item);
      lines.push(
        nested
          ? `${lead}\n${inner}${writeBlock(item, inner)}`
          : `${lead} ${writeLeaf(item, inner)}`,
      );
    }
  }
  return lines.join(`\n${indent}`);
}

const writeLeaf = (value: Json, indent: string): string =>
  typeof value === "object" && value !== null
    ? isMap(value)
      ? "{}"
      : "[]"
    : writeScalar(value, indent);

/** One document, with its last line end and without a marker. Keys keep their order, nothing is folded. */
export function writeYaml(value: Json): string {
  if (typeof value === "object" && value !== null && !isEmptyCollection(value))
    return `${writeBlock(value, "")}\n`;
  // A text that is the whole document would be a block without a parent: quotes do there.
  return `${typeof value === "string" && !isPlainText(value) ? quoteText(value) : writeLeaf(value, "")}\n`;
}

/** Documents one after the other, parted by `---`. */
export const writeDocuments = (values: readonly Json[]): string =>
  values.map(writeYaml).join(DOCUMENT_SEPARATOR);

/** What parts two documents. */
export const DOCUMENT_SEPARATOR = "---\n";
