/**
 * The cheap look at a body before any parser sees it: size, encoding, and where its base64 lies. One pass,
 * so that the worst body is refused in milliseconds. It knows no YAML and no JSON.
 */
import { type Outcome, type Place, refuse } from "../errors.ts";
import { LIMITS, type TextLimits } from "../limits.ts";
import { ok } from "../result.ts";

/** Base64 characters in one row that are data rather than words. */
const LONG_RUN = 1024;
/** The same for a run that fills its line, as base64 tools fold it at 64 or 76 columns. */
const FOLDED_RUN = 60;

const PLAIN = 0;
const BASE64 = 1;
const CONTROL = 2;
const KINDS = new Uint8Array(128).map((_, code) => {
  if (/[A-Za-z0-9+/=]/.test(String.fromCharCode(code))) return BASE64;
  return code < 32 && code !== 9 && code !== 10 && code !== 13 ? CONTROL : PLAIN;
});

export interface Scan {
  /** Unbroken runs of base64, as [start, end) in characters: parsers may leave them out. */
  readonly runs: readonly (readonly [number, number])[];
}

/** Line and column of a character offset, from 1. */
export function placeAt(text: string, offset: number): Required<Pick<Place, "line" | "column">> {
  let line = 1;
  let start = 0;
  for (
    let next = text.indexOf("\n");
    next >= 0 && next < offset;
    next = text.indexOf("\n", next + 1)
  ) {
    line++;
    start = next + 1;
  }
  return { line, column: offset - start + 1 };
}

function fillsLine(text: string, start: number, end: number): boolean {
  const after = text.charCodeAt(end);
  if (end < text.length && after !== 10 && after !== 13) return false;
  let before = start - 1;
  while (before >= 0 && text.charCodeAt(before) === 32) before--;
  return before < 0 || text.charCodeAt(before) === 10;
}

const badCharacter = (text: string, offset: number) =>
  refuse(
    "bad_encoding",
    "the body holds a character that text may not hold",
    "Send UTF-8 text without control characters; put binary data into an attachment.",
    placeAt(text, offset),
  );

/**
 * Refuses a body over `limits.body`, with more than `limits.text` outside base64, with control characters
 * or with half a surrogate pair.
 */
export function scanText(text: string, limits: TextLimits = LIMITS): Outcome<Scan> {
  const oversize = refuse(
    "too_large",
    `the body is larger than ${limits.body / 1024 / 1024} MB`,
    "Upload large files as attachments first and refer to them.",
  );
  if (text.length > limits.body) return oversize;
  if (!text.isWellFormed()) return badCharacter(text, text.search(/\p{Surrogate}/u));

  const runs: [number, number][] = [];
  let bytes = text.length;
  let data = 0;
  let start = -1;
  let escaped = false;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 10;
    if (code < 128) {
      const kind = KINDS[code];
      if (kind === BASE64) {
        if (start < 0) start = at;
        continue;
      }
      // Some writers of JSON escape every slash.
      if (code === 92 && start >= 0 && text.charCodeAt(at + 1) === 47) {
        escaped = true;
        at++;
        continue;
      }
      if (kind === CONTROL) return badCharacter(text, at);
    } else if (code < 0x800 || (code >= 0xd800 && code <= 0xdfff)) bytes += 1;
    else bytes += 2;
    if (start < 0) continue;
    const length = at - start;
    if (length >= LONG_RUN) {
      data += length;
      if (!escaped) runs.push([start, at]);
    } else if (length >= FOLDED_RUN && fillsLine(text, start, at)) data += length;
    start = -1;
    escaped = false;
  }
  if (bytes > limits.body) return oversize;
  if (bytes - data > limits.text)
    return refuse(
      "too_large",
      `the body holds more than ${limits.text / 1024} KB of text outside data URIs`,
      "Send less text in one message, or upload it as a file.",
    );
  return ok({ runs });
}
