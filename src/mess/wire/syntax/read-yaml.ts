/**
 * Reads the text of a body, YAML 1.2 or JSON, into documents (decisions 52, 54, 55). Defends the parser against
 * hostile text: size, depth, aliases, tags. Knows nothing about messages.
 */
import { Composer, CST, Lexer, Parser } from "yaml";
import { type MessError, type Outcome, type SourcePlace, refuse } from "../../errors.ts";
import { readJson } from "./read-json.ts";
import { LIMITS, type TextLimits } from "../../limits.ts";
import { fail, ok } from "../../result.ts";
import { getPlaceAt, type TextScan, scanText } from "./scan-text.ts";
import { type SourceDocument, buildTooDeepError } from "./source-document.ts";
import { buildSyntaxError } from "./yaml-errors.ts";
import { readNodes, type YamlText } from "./yaml-value.ts";

export type { SourceDocument } from "./source-document.ts";

/**
 * Reads the documents of the text in order, without empty ones.
 * @param limits limits of a body, or FILE_LIMITS for a thread's file, which is never JSON
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

/** The parser creates an Error for each syntax error. Capturing their unused stacks takes 90 % of its time. */
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
 * Long base64 runs are replaced by short marks before parsing, so that the parser's time does not grow with them.
 * Text that already contains the private-use characters of a mark, plain or escaped, is not changed: a forged mark
 * would multiply the data.
 */
const MARK_PATTERN = /\uE000(\d+)\uE001/g;
const FORGED_MARK_PATTERN = /[\uE000\uE001]|\\(?:u|U0000)e00[01]/i;

function replaceBase64Runs(text: string, { runs }: TextScan): YamlText {
  if (runs.length === 0 || FORGED_MARK_PATTERN.test(text))
    return { text, restore: (value) => value, getPlace: (offset) => getPlaceAt(text, offset) };
  const parts: string[] = [];
  const shifts: [at: number, by: number][] = [];
  let end = 0;
  let length = 0;
  for (const [index, [start, stop]] of runs.entries()) {
    const placeholder = `\uE000${index}\uE001`;
    parts.push(text.slice(end, start), placeholder);
    length += start - end + placeholder.length;
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
    getPlace(offset) {
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

/** Lexemes without text, which do not advance the offset. */
const EMPTY_TOKEN_TYPES: readonly (CST.TokenType | null)[] = [
  "doc-mode",
  "flow-error-end",
  "scalar",
];

/** Lexemes of an oversize text that are still parsed, to report excess depth or documents as the actual error. */
const MAX_PEEKED_LEXEMES = 2_000;

/** Splits the text into lexemes, which is cheap; stops at the first construct that is not accepted. */
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
        source.getPlace(offset),
      );
    if (lexemes.push(lexeme) > limits.yamlTokens)
      return ok({
        lexemes: lexemes.slice(0, MAX_PEEKED_LEXEMES),
        oversize: refuse(
          "too_large",
          `the YAML has more than ${limits.yamlTokens} tokens`,
          "Send the body as JSON, or attach most of it as a file.",
          source.getPlace(offset),
        ).error,
      });
    if (!EMPTY_TOKEN_TYPES.includes(type)) offset += lexeme.length;
  }
  return ok({ lexemes });
}

/** Parses the tokens of all documents into one list; stops at excess depth and too many documents. */
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
      return refuseTooManyDocuments(limits, source.getPlace(parser.offset));
    // The parser's stack also contains the document and the current scalar.
    if (parser.stack.length > limits.depth + 2)
      return fail(buildTooDeepError(source.getPlace(parser.offset), limits.depth));
  }
  if (oversize) return fail(oversize);
  for (const token of parser.end()) {
    tokens.push(token);
    if (token.type === "document") documents++;
  }
  return documents > limits.documents
    ? refuseTooManyDocuments(limits, source.getPlace(parser.offset))
    : ok(tokens);
}

const refuseTooManyDocuments = (
  limits: TextLimits,
  place: SourcePlace,
): { readonly ok: false; readonly error: MessError } =>
  refuse(
    "too_many_documents",
    `the body contains more than ${limits.documents} documents`,
    "Split the documents into several calls.",
    place,
  );
