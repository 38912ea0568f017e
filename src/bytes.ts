/** Helpers for byte arrays. */

/** Concatenates the parts into a new array. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(parts.reduce((size, { byteLength }) => size + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.byteLength;
  }
  return result;
}

/** Bytes that are encoded at once: a multiple of three, and few enough to pass as arguments. */
const ENCODED_BYTES_AT_ONCE = 3 * 8192;

export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += ENCODED_BYTES_AT_ONCE)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + ENCODED_BYTES_AT_ONCE))));
  return parts.join("");
}

/** Returns undefined for text that is not standard base64. */
export function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  let binary: string;
  try {
    binary = atob(base64);
  } catch {
    return undefined;
  }
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** @param hex pairs of hex digits */
export const decodeHex = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

const utf8Decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** Returns undefined for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8Decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
