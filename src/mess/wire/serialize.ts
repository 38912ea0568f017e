/**
 * Writes YAML that YAML 1.1 and 1.2 readers read as the same values (decision 54). Scalars are plain where that is
 * unambiguous, literal blocks for several lines, and JSON's double quotes otherwise. A sender's text therefore never
 * begins a line at column 0 and cannot forge a document.
 *
 * The `yaml` package's emitter takes ten times as long for a thread of a thousand messages and loses a leading byte
 * order mark. The tests compare this writer with the parser of that package, in both YAML versions.
 */
import { isMap, type Json } from "../json.ts";
import { stripEnd } from "../strip.ts";

/** Begins with a letter and contains no character with a meaning in YAML. Reserved words are excluded below. */
const PLAIN_TEXT_PATTERN = /^[\p{L}](?:[^\p{C}\p{Zl}\p{Zp}:#]|:(?![ \u00a0]|$)|(?<![ \u00a0])#)*$/u;
/** Refs of threads and messages. They are longer than a date, so no reader parses them as a date. */
const REF_PATTERN = /^\d{4}-\d{2}-\d{2}-\d{3}(?:[/-]*[a-z0-9])*$/;
/** Words that YAML 1.1 reads as a boolean, as null, or as a number without digits before the exponent. */
const RESERVED_WORD_PATTERN = /^(?:y|n|yes|no|on|off|true|false|null|e[-+]?\d+)$/i;

/** Characters that YAML requires to be escaped, and those that some readers take for a line break. */
// oxlint-disable-next-line no-control-regex
const UNSAFE_PATTERN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\p{Cs}/u;
// oxlint-disable-next-line no-control-regex
const ESCAPED_PATTERN = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Longer keys use YAML's explicit form (YAML 1.2, 8.2.2 allows 1,024 characters for others). */
const MAX_KEY_CHARS = 500;

const quoteText = (text: string): string =>
  JSON.stringify(text).replaceAll(
    ESCAPED_PATTERN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const isPlainText = (text: string): boolean =>
  (PLAIN_TEXT_PATTERN.test(text) && !text.endsWith(" ") && !RESERVED_WORD_PATTERN.test(text)) ||
  REF_PATTERN.test(text);

/** YAML 1.1 reads `1e+21` as text, since its numbers need a dot. */
const writeNumber = (value: number): string => JSON.stringify(value).replace(/^(-?\d+)e/, "$1.0e");

/** Writes a literal block; undefined where the text must be quoted. */
function writeLiteral(text: string, indent: string): string | undefined {
  if (!text.includes("\n") || UNSAFE_PATTERN.test(text)) return undefined;
  // The end of a block is ambiguous where its last line contains only blanks.
  const body = stripEnd(text, "\n");
  if (body === "" || /(?:^|\n)[ \t]+$/.test(body)) return undefined;
  const breaks = text.length - body.length;
  const chomp = breaks === 0 ? "-" : breaks === 1 ? "" : "+";
  const indentIndicator = /^[ \t\n]/.test(text) ? "2" : "";
  const lines = body.replaceAll(/^(?!$)/gm, indent);
  return `|${indentIndicator}${chomp}\n${lines}${"\n".repeat(Math.max(0, breaks - 1))}`;
}

function writeScalar(value: Exclude<Json, object> | null, indent: string): string {
  if (typeof value === "string")
    return isPlainText(value) ? value : (writeLiteral(value, indent) ?? quoteText(value));
  return typeof value === "number" ? writeNumber(value) : String(value);
}

const isEmptyCollection = (value: object): boolean =>
  Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;

/** Writes the entries of a collection, joined by line breaks; the first entry has no indent. */
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
      const keyText = name.length > MAX_KEY_CHARS ? `? ${name}\n${indent}:` : `${name}:`;
      const nested = typeof item === "object" && item !== null && !isEmptyCollection(item);
      lines.push(
        nested
          ? `${keyText}\n${inner}${writeBlock(item, inner)}`
          : `${keyText} ${writeLeaf(item, inner)}`,
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

/** Writes one document with a final line break and without a marker. Keys keep their order; lines are not folded. */
export function writeYaml(value: Json): string {
  if (typeof value === "object" && value !== null && !isEmptyCollection(value))
    return `${writeBlock(value, "")}\n`;
  // A literal block needs a parent, so a document that is only a text is quoted.
  return `${typeof value === "string" && !isPlainText(value) ? quoteText(value) : writeLeaf(value, "")}\n`;
}

/** Writes several documents, separated by `---`. */
export const writeDocuments = (values: readonly Json[]): string =>
  values.map(writeYaml).join(DOCUMENT_SEPARATOR);

/** The line between two documents. */
export const DOCUMENT_SEPARATOR = "---\n";
