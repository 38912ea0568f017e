/** Reads responses of IMAP (RFC 9051), in linear time. Literals are bytes, everything else is text. */
import { MailServerError, type MailConnection } from "./mail-connection.ts";

/** A response without literals is text; each literal follows the text that announces it. */
export type ResponsePart = string | Uint8Array<ArrayBuffer>;

/** Of the texts of one response. A server that sends more would keep the session busy without end. */
const MAX_ONE_RESPONSE_CHARS = 256 * 1024;
const LITERAL_PATTERN = /\{(\d{1,10})\}$/;

/** @param maxLiteralBytes of the response's literals together */
export async function readResponse(
  connection: MailConnection,
  maxLiteralBytes: number,
): Promise<ResponsePart[]> {
  const parts: ResponsePart[] = [];
  let chars = 0;
  let bytes = 0;
  while (true) {
    const line = await connection.readLine();
    parts.push(line);
    chars += line.length;
    const literal = LITERAL_PATTERN.exec(line.slice(-12));
    if (!literal) return parts;
    const size = Number(literal[1]);
    bytes += size;
    if (bytes > maxLiteralBytes || chars > MAX_ONE_RESPONSE_CHARS)
      throw new MailServerError(`${connection.host} sent more than it was asked for`);
    parts.push(await connection.readBytes(size));
  }
}

const isOpening = (character: string | undefined): boolean => character === "(";
const isClosing = (character: string | undefined): boolean => character === ")";

/** A quoted text or literal has bytes, an atom has text; parentheses are atoms. */
export type ResponseToken = string | Uint8Array<ArrayBuffer>;

/** Splits into atoms, parentheses, quoted texts and literals. */
export function splitResponse(parts: readonly ResponsePart[]): ResponseToken[] {
  const tokens: ResponseToken[] = [];
  for (const part of parts) {
    if (typeof part === "string") splitText(part.replace(LITERAL_PATTERN, ""), tokens);
    else tokens.push(part);
  }
  return tokens;
}

function splitText(text: string, tokens: ResponseToken[]): void {
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === " ") at += 1;
    else if (isOpening(character) || isClosing(character)) {
      tokens.push(character!);
      at += 1;
    } else if (character === '"') at = takeQuoted(text, at + 1, tokens);
    else at = takeAtom(text, at, tokens);
  }
}

/** @returns the position after the closing quote */
function takeQuoted(text: string, start: number, tokens: ResponseToken[]): number {
  let value = "";
  let at = start;
  while (at < text.length && text[at] !== '"') {
    if (text[at] === "\\") at += 1;
    value += text[at] ?? "";
    at += 1;
  }
  tokens.push(Uint8Array.from(value, (character) => character.charCodeAt(0)));
  return at + 1;
}

function takeAtom(text: string, start: number, tokens: ResponseToken[]): number {
  let at = start;
  while (at < text.length && text[at] !== " " && !isOpening(text[at]) && !isClosing(text[at]))
    at += 1;
  tokens.push(text.slice(start, at));
  return at;
}

/**
 * The items of `* 12 FETCH (UID 7 BODY[] {5} …)`, by their names in capitals without a position such as `<0>`. Undefined
 * for another response. Values that are lists are left out.
 */
export function readFetch(parts: readonly ResponsePart[]): Map<string, ResponseToken> | undefined {
  const [star, , fetch, opening, ...tokens] = splitResponse(parts);
  if (star !== "*" || String(fetch).toUpperCase() !== "FETCH" || opening !== "(") return undefined;
  const items = new Map<string, ResponseToken>();
  let at = 0;
  while (at < tokens.length && tokens[at] !== ")") {
    const name = String(tokens[at]).toUpperCase().split("<")[0]!;
    const value = tokens[at + 1];
    if (value === "(") {
      at = skipList(tokens, at + 1);
      continue;
    }
    if (value !== undefined) items.set(name, value);
    at += 2;
  }
  return items;
}

/** @returns the position after the list that begins at `start` */
function skipList(tokens: readonly ResponseToken[], start: number): number {
  let depth = 0;
  let at = start;
  do {
    if (tokens[at] === "(") depth += 1;
    if (tokens[at] === ")") depth -= 1;
    at += 1;
  } while (depth > 0 && at < tokens.length);
  return at;
}

/** `[CODE argument]` of a status response. */
const CODE_PATTERN = /^(?:OK|NO|BAD|BYE|PREAUTH) \[([A-Z0-9-]{1,40})(?: ([^\]]{0,200}))?\]/i;

/** @param text after the tag or the star */
export function readCode(text: string): { code: string; argument: string } | undefined {
  const [, code, argument = ""] = CODE_PATTERN.exec(text) ?? [];
  return code === undefined ? undefined : { code: code.toUpperCase(), argument };
}
