/** Error messages for the YAML parser's error codes. They never quote the sender's text. */
import type { ErrorCode as YamlCode, YAMLParseError } from "yaml";
import { type MessError, refuse } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import type { YamlText } from "./yaml-value.ts";

const FALLBACK_ERROR: readonly [string, string] = [
  "the text is not valid YAML",
  "Quote text that contains any of : # { } [ ] , & * ! | > ' \" % @ or a backtick.",
];

const ERROR_TEXTS: Partial<Record<YamlCode, readonly [message: string, hint: string]>> = {
  BAD_INDENT: [
    "the indentation does not match the lines above",
    "Indent the parts of one map or list by the same number of spaces.",
  ],
  TAB_AS_INDENT: ["a tab is used as indentation", "Indent with spaces."],
  BAD_DQ_ESCAPE: [
    "unknown escape sequence after a backslash in double quotes",
    "Write the backslash twice, or use single quotes.",
  ],
  MISSING_CHAR: [
    "a closing quote, bracket, comma or space is missing",
    "Close every quote and bracket, and put a space after each colon and comma.",
  ],
  MULTILINE_IMPLICIT_KEY: [
    "a key spans several lines",
    "Put keys on one line; quote text that contains a colon.",
  ],
  NON_STRING_KEY: ["a map or list is used as a key", "Use a short text as the key."],
  BLOCK_AS_IMPLICIT_KEY: [
    "found a map or list where a plain value is expected",
    "Quote text that contains a colon followed by a space.",
  ],
  BLOCK_IN_FLOW: [
    "block style is used inside brackets",
    "Write everything inside brackets in bracket style.",
  ],
};

/** The parser's report of a bracket that is open where its block ends. */
const OPEN_BRACKET_PATTERN = /sufficiently indented and end with a ([\]}])/;

function describeSyntaxError({ code, message }: YAMLParseError): readonly [string, string] {
  const end = OPEN_BRACKET_PATTERN.exec(message)?.[1];
  if (end === undefined) return ERROR_TEXTS[code] ?? FALLBACK_ERROR;
  const start = end === "]" ? "[" : "{";
  return [
    `a ${start} above is not closed`,
    `Write ${end} before this line, or quote the text that begins with ${start}.`,
  ];
}

/** Builds the error for a document with these syntax errors, with places; text that looks like JSON is `bad_json`. */
export function buildSyntaxError(errors: readonly YAMLParseError[], source: YamlText): MessError {
  const json = /^\s*(?:\{\s*"|\[\s*[[{"])/.test(source.text);
  // The parser also reports an unclosed bracket as bad indentation, which is misleading.
  const relevant = errors.some(({ code }) => code === "MISSING_CHAR")
    ? errors.filter(({ code }) => code !== "BAD_INDENT")
    : errors;
  const [first, ...more] = relevant.slice(0, LIMITS.reportedErrors).map((error): MessError => {
    const [message, hint] = describeSyntaxError(error);
    const place = source.getPlace(error.pos[0]);
    return json
      ? refuse("bad_json", "the text is not valid JSON", hint, place).error
      : refuse("bad_yaml", message, hint, place).error;
  });
  return more.length > 0 ? { ...first!, more } : first!;
}
