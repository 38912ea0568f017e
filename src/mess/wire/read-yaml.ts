/**
 * The text of a body as documents: YAML 1.2 or JSON (decisions 52, 54, 55). Owns everything that a hostile
 * text may try against a parser; it does not know what a message is.
 */
import { Composer, CST, Lexer, Parser } from "yaml";
import { type MessError, type Outcome, type SourcePlace, refuse } from "../errors.ts";
import { readJson } from "./read-json.ts";
import { LIMITS, type TextLimits } from "../limits.ts";
import { fail, ok } from "../result.ts";
import { getPlaceAt, type TextScan, scanText } from "./scan-text.ts";
import { type SourceDocument, buildTooDeepError } from "./source-document.ts";
import { buildSyntaxError } from "./yaml-errors.ts";
import { readNodes, type YamlText } from "./yaml-value.ts";

export type { SourceDocument } from "./source-document.ts";

/**
 * The documents of the text in order, without the empty ones.
 * @param limits those of a body, or FILE_LIMITS for a thread's file, which is never JSON
 */
export function readDocuments(
  text: string,
  limits: TextLimits = LIMITS,
): Outcome<SourceDocument[]> {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const scan = scanText(plain, limits);
  if (!scan.ok) return scan;
  const json = /^\s*[[{]/.test(plain) ? readJson(plain) : undefined;
  return json ?? withoutStacks(() => readYaml(plain, scan.value, limits));
}

/** The parser makes an Error of each fault. Their stacks, which nobody reads, take nine tenths of its time. */
function withoutStacks<T>(work: () => T): T {
  const errors = Error as ErrorConstructor & { stackTraceLimit?: number };
  const { stackTraceLimit = 10 } = errors;
  errors.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    errors.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * The text with its long base64 runs replaced by short marks, so that the parser's time does not grow with them.
 * Text that has the marks' own private characters, plain or escaped, is left as it is: a forged mark would
 * multiply the data.
 */
const MARK_PATTERN = /\uE000(\d+)\uE001/g;
const FORGED_MARK_PATTERN = /[\uE000\uE001]|\\(?:u|U0000)e00[01]/i;

function replaceBase64Runs(text: string, { runs }: TextScan): YamlText {
  if (runs.length === 0 || FORGED_MARK_PATTERN.test(text))
    return { text, restore: (value) => value, placeOf: (offset) => getPlaceAt(text, offset) };
  const parts: string[] = [];
  const shifts: [at: number, by: number][] = [];
  let end = 0;
  let length = 0;
  for (const [index, [start, stop]] of runs.entries()) {
    const mark = `\uE000${index}\uE001`;
    parts.push(text.slice(end, start), mark);
    length += start - end + mark.length;
    shifts.push([length, stop - length]);
    end = stop;
  }
  parts.push(text.slice(end));
  return {
    text: parts.join(""),
    restore: (value) =>
      value.includes("\uE000")
        ? value.replaceAll(MARK_PATTERN, (_, index) => text.slice(...runs[Number(index)]!))
        : value,
    placeOf(offset) {
      const shift = shifts.findLast(([at]) => at <= offset);
      return getPlaceAt(text, offset + (shift?.[1] ?? 0));
    },
  };
}

function readYaml(whole: string, scan: TextScan, limits: TextLimits): Outcome<SourceDocument[]> {
  const source = replaceBase64Runs(whole, scan);
  const tokens = parseTokens(source, limits);
  if (!tokens.ok) return tokens;
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    merge: false,
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: false,
  });
  const documents: SourceDocument[] = [];
  for (const document of composer.compose(tokens.value, true, source.text.length)) {
    if (document.errors.length > 0) return fail(buildSyntaxError(document.errors, source));
    const read = readNodes(document.contents, source, limits.depth);
    if (!read.ok) return read;
    if (read.value.value !== null) documents.push(read.value);
  }
  return ok(documents);
}

const FORBIDDEN_TOKENS: Readonly<Record<string, string>> = {
  alias: "aliases",
  anchor: "anchors",
  tag: "tags",
  "directive-line": "directives",
};

/** Lexemes that stand for no text: they move no offset. */
const EMPTY_TOKEN_TYPES: readonly (CST.TokenType | null)[] = [
  "doc-mode",
  "flow-error-end",
  "scalar",
];

/** Lexemes of an oversize text that are still parsed, to name depth or number of documents as its true fault. */
const MAX_PEEKED_LEXEMES = 2_000;

/** The text cut into lexemes, which is cheap; stops at the first thing that is not accepted. */
function splitLexemes(
  source: YamlText,
  limits: TextLimits,
): Outcome<{ lexemes: string[]; oversize?: MessError }> {
  const lexemes: string[] = [];
  let offset = 0;
  let scalar = false;
  for (const lexeme of new Lexer().lex(source.text)) {
    const type: CST.TokenType | null = scalar ? null : CST.tokenType(lexeme);
    scalar = type === "scalar";
    const forbidden = type === null ? undefined : FORBIDDEN_TOKENS[type];
    if (forbidden !== undefined)
      return refuse(
        "forbidden_yaml",
        `YAML ${forbidden} are not accepted`,
        "Write the value itself; put quotes around text that begins with &, *, ! or %.",
        source.placeOf(offset),
      );
    if (lexemes.push(lexeme) > limits.yamlTokens)
      return ok({
        lexemes: lexemes.slice(0, MAX_PEEKED_LEXEMES),
        oversize: refuse(
          "too_large",
          "the YAML has too many parts",
          "Send it as JSON, or attach the bulk of it as a file.",
          source.placeOf(offset),
        ).error,
      });
    if (!EMPTY_TOKEN_TYPES.includes(type)) offset += lexeme.length;
  }
  return ok({ lexemes });
}

/** The parser's tokens, one list for all documents; stops at too much depth and too many documents. */
function parseTokens(source: YamlText, limits: TextLimits): Outcome<CST.Token[]> {
  const cut = splitLexemes(source, limits);
  if (!cut.ok) return cut;
  const { lexemes, oversize } = cut.value;
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let documents = 0;
  for (const lexeme of lexemes) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === "document") documents++;
    }
    if (documents > limits.documents)
      return refuseTooManyDocuments(limits, source.placeOf(parser.offset));
    // The document and the scalar being read stand on the stack too.
    if (parser.stack.length > limits.depth + 2)
      return fail(buildTooDeepError(source.placeOf(parser.offset), limits.depth));
  }
  if (oversize) return fail(oversize);
  for (const token of parser.end()) {
    tokens.push(token);
    if (token.type === "document") documents++;
  }
  return documents > limits.documents
    ? refuseTooManyDocuments(limits, source.placeOf(parser.offset))
    : ok(tokens);
}

const refuseTooManyDocuments = (
  limits: TextLimits,
  place: SourcePlace,
): { readonly ok: false; readonly error: MessError } =>
  refuse(
    "too_many_documents",
    `the body holds more than ${limits.documents} documents`,
    "Send them in several calls.",
    place,
  );
