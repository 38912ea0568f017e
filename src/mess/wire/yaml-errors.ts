/** The YAML parser's complaints in words of our own, which never hold a piece of the sender's text. */
import type { ErrorCode as YamlCode, YAMLParseError } from "yaml";
import { type MessError, refuse } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { YamlText } from "./yaml-value.ts";

const FALLBACK_ERROR: readonly [string, string] = [
  "the text is not valid YAML",
  "Quote text that holds any of : # { } [ ] , & * ! | > ' \" % @ or a backtick.",
];

const ERROR_TEXTS: Partial<Record<YamlCode, readonly [message: string, hint: string]>> = {
  BAD_INDENT: [
    "the indentation does not fit what stands above",
    "Indent the parts of one map or list by the same number of spaces.",
  ],
  TAB_AS_INDENT: ["a tab is used as indentation", "Indent with spaces."],
  BAD_DQ_ESCAPE: [
    "a backslash in double quotes is followed by something unknown",
    "Write the backslash twice, or use single quotes.",
  ],
  MISSING_CHAR: [
    "a closing quote, bracket, comma or space is missing",
    "Close every quote and bracket, and put a space after each colon and comma.",
  ],
  MULTILINE_IMPLICIT_KEY: [
    "a key runs over several lines",
    "Put keys on one line; quote text that holds a colon.",
  ],
  NON_STRING_KEY: ["a map or list is used as a key", "Use a short text as the key."],
  BLOCK_AS_IMPLICIT_KEY: [
    "a map or list stands where a plain value is expected",
    "Quote text that holds a colon followed by a space.",
  ],
  BLOCK_IN_FLOW: [
    "block style stands inside brackets",
    "Write everything inside brackets in bracket style.",
  ],
};

/** The refusal for a document with these errors, places included; a body that looks like JSON is bad JSON. */
export function buildSyntaxError(errors: readonly YAMLParseError[], source: YamlText): MessError {
  const json = /^\s*(?:\{\s*"|\[\s*[[{"])/.test(source.text);
  // An unclosed bracket is told as bad indentation too, which misleads.
  const relevant = errors.some(({ code }) => code === "MISSING_CHAR")
    ? errors.filter(({ code }) => code !== "BAD_INDENT")
    : errors;
  const [first, ...more] = relevant
    .slice(0, LIMITS.reportedErrors)
    .map(({ code, pos }): MessError => {
      const [message, hint] = ERROR_TEXTS[code] ?? FALLBACK_ERROR;
      const place = source.placeOf(pos[0]);
      return json
        ? refuse("bad_json", "the text is not valid JSON", hint, place).error
        : refuse("bad_yaml", message, hint, place).error;
    });
  return more.length > 0 ? { ...first!, more } : first!;
}
