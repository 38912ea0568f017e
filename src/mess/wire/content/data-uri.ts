/** Reads data URIs in every accepted form and writes them as `data:<mime>;base64,<data>` (protocol §2.3). */
import { LIMITS } from "../../limits.ts";

const HEAD_PATTERN = /^data:([^;,]*)((?:;[^;,]*)*),/i;
const MIME_PATTERN = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,99}$/;

/** Normalizes a MIME type to lower case without parameters (`Image/JPEG; q=1` to `image/jpeg`); undefined if invalid. */
export function readMime(text: string): string | undefined {
  if (text.length > LIMITS.mimeTypeChars) return undefined;
  const plain = text.split(";")[0]!.trim().toLowerCase();
  return MIME_PATTERN.test(plain) ? plain : undefined;
}

export const isDataUri = (text: string): boolean => /^data:/i.test(text);

/**
 * Normalizes base64 to the standard alphabet with padding. Accepts both alphabets, line breaks and missing padding;
 * undefined when the text is not base64 or encodes no bytes.
 */
export function readBase64(text: string): string | undefined {
  const plain = text
    .replaceAll(/\s+/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/={1,2}$/, "");
  if (plain === "" || plain.length % 4 === 1 || !/^[A-Za-z0-9+/]+$/.test(plain)) return undefined;
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, "=");
}

export interface DataUri {
  mime: string;
  base64: string;
  /** Decoded bytes. */
  size: number;
}

export const writeDataUri = ({ mime, base64 }: Pick<DataUri, "mime" | "base64">): string =>
  `data:${mime};base64,${base64}`;

/** Parses a data URI and converts percent-encoded data to base64; undefined when it is malformed. */
export function readDataUri(text: string): DataUri | undefined {
  const head = HEAD_PATTERN.exec(text.trimStart().slice(0, 300));
  if (!head) return undefined;
  const [whole, stated, parameters] = head as unknown as [string, string, string];
  const mime = readMime(stated === "" ? "text/plain" : stated);
  if (mime === undefined) return undefined;
  const body = text.trimStart().slice(whole.length);
  const base64 = /;\s*base64\s*$/i.test(parameters) ? readBase64(body) : percentToBase64(body);
  return base64 === undefined ? undefined : { mime, base64, size: getDecodedSize(base64) };
}

const getDecodedSize = (base64: string): number =>
  (base64.length / 4) * 3 - (base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0);

function percentToBase64(body: string): string | undefined {
  if (body === "" || /%(?![0-9a-f]{2})/i.test(body)) return undefined;
  const bytes = new TextEncoder().encode(body);
  let binary = "";
  for (let at = 0; at < bytes.length; at++) {
    const escape = bytes[at] === 37;
    const code = escape
      ? Number.parseInt(String.fromCharCode(bytes[at + 1]!, bytes[at + 2]!), 16)
      : bytes[at]!;
    if (escape) at += 2;
    binary += String.fromCharCode(code);
  }
  return btoa(binary);
}
