/**
 * Scans a body once before any parser runs: size, encoding, and the positions of base64 runs. The worst body is
 * refused within milliseconds. Knows nothing about YAML and JSON.
 */
import { type Outcome, type SourcePlace, refuse } from "../../errors.ts";
import { LIMITS, type TextLimits } from "../../limits.ts";
import { ok } from "../../result.ts";

/** Consecutive base64 characters that count as data instead of words. */
const MIN_RUN_CHARS = 1024;
/** The minimum for a run that fills its line, since base64 tools fold lines at 64 or 76 columns. */
const MIN_FOLDED_RUN_CHARS = 60;

const PLAIN_KIND = 0;
const BASE64_KIND = 1;
const CONTROL_KIND = 2;
const KIND_BY_CODE = new Uint8Array(128).map((_, code) => {
  if (/[A-Za-z0-9+/=]/.test(String.fromCharCode(code))) return BASE64_KIND;
  return code < 32 && code !== 9 && code !== 10 && code !== 13 ? CONTROL_KIND : PLAIN_KIND;
});

export interface TextScan {
  /** Unbroken runs of base64 as [start, end) in characters; parsers may skip them. */
  readonly runs: readonly (readonly [number, number])[];
}

/** Returns line and column of a character offset, both from 1. */
export function getPlaceAt(
  text: string,
  offset: number,
): Required<Pick<SourcePlace, "line" | "column">> {
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

function isFullLine(text: string, start: number, end: number): boolean {
  const after = text.charCodeAt(end);
  if (end < text.length && after !== 10 && after !== 13) return false;
  let before = start - 1;
  while (before >= 0 && text.charCodeAt(before) === 32) before--;
  return before < 0 || text.charCodeAt(before) === 10;
}

const refuseCharacter = (text: string, offset: number) =>
  refuse(
    "bad_encoding",
    "the body contains a control character or half of a surrogate pair",
    "Send UTF-8 text without control characters; put binary data into an attachment.",
    getPlaceAt(text, offset),
  );

/**
 * Refuses a body over `limits.bodyBytes`, with more than `limits.textBytes` outside base64, with control characters
 * or with half a surrogate pair.
 */
export function scanText(text: string, limits: TextLimits = LIMITS): Outcome<TextScan> {
  const oversize = refuse(
    "too_large",
    `the body is larger than ${limits.bodyBytes / 1024 / 1024} MB`,
    "Upload large files as attachments first and refer to them.",
  );
  if (text.length > limits.bodyBytes) return oversize;
  if (!text.isWellFormed()) return refuseCharacter(text, text.search(/\p{Surrogate}/u));

  const runs: [number, number][] = [];
  let bytes = text.length;
  let data = 0;
  let start = -1;
  let escaped = false;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 10;
    if (code < 128) {
      const kind = KIND_BY_CODE[code];
      if (kind === BASE64_KIND) {
        if (start < 0) start = at;
        continue;
      }
      // Some JSON writers escape every slash.
      if (code === 92 && start >= 0 && text.charCodeAt(at + 1) === 47) {
        escaped = true;
        at++;
        continue;
      }
      if (kind === CONTROL_KIND) return refuseCharacter(text, at);
    } else if (code < 0x800 || (code >= 0xd800 && code <= 0xdfff)) bytes += 1;
    else bytes += 2;
    if (start < 0) continue;
    const length = at - start;
    if (length >= MIN_RUN_CHARS) {
      data += length;
      if (!escaped) runs.push([start, at]);
    } else if (length >= MIN_FOLDED_RUN_CHARS && isFullLine(text, start, at)) data += length;
    start = -1;
    escaped = false;
  }
  if (bytes > limits.bodyBytes) return oversize;
  if (bytes - data > limits.textBytes)
    return refuse(
      "too_large",
      `the body contains more than ${limits.textBytes / 1024} KB of text outside data URIs`,
      "Send less text in one message, or upload it as a file.",
    );
  return ok({ runs });
}
