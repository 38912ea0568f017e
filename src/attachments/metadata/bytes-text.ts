/** Text of one byte per character inside a file, such as the type of a chunk. */

export const readText = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));

export const startsWithText = (bytes: Uint8Array, text: string): boolean =>
  readText(bytes, 0, text.length) === text;

export const toBytes = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));

/** A view of the bytes, to read numbers. */
export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
