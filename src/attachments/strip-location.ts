/**
 * Taking out of a JPEG where it was taken: the GPS part of its EXIF, and every other segment that is known to repeat
 * it (XMP, IPTC, pictures and films that cameras put behind the picture). What is needed to show it as it was meant
 * stays: orientation, colour profile, the time. Pure, over bytes; the pixels are not touched.
 */
import { joined } from "../bytes.ts";

const SOS = 0xda;
const EOI = 0xd9;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const APP15 = 0xef;

const EXIF = "Exif\0\0";
const ICC = "ICC_PROFILE\0";

const starts = (bytes: Uint8Array, text: string): boolean =>
  bytes.length >= text.length &&
  Array.from(text).every((sign, at) => bytes[at] === sign.charCodeAt(0));

/** The same picture without its place; other files, and pictures that hold none, come back as they are. */
export function withoutLocation(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return bytes;
  const kept: Uint8Array[] = [bytes.subarray(0, 2)];
  let at = 2;
  while (at < bytes.length) {
    const marker = nextMarker(bytes, at);
    if (marker === undefined) break;
    const code = bytes[marker + 1]!;
    if (code === EOI || isBare(code)) {
      kept.push(bytes.subarray(marker, marker + 2));
      at = marker + 2;
      if (code === EOI) break;
      continue;
    }
    const length = ((bytes[marker + 2] ?? 0) << 8) | (bytes[marker + 3] ?? 0);
    const end = marker + 2 + length;
    if (length < 2 || end > bytes.length) break;
    const body = keptBody(code, bytes.subarray(marker + 4, end));
    if (body) kept.push(bytes.subarray(marker, marker + 4), body);
    at = code === SOS ? endOfScan(bytes, end) : end;
    if (code === SOS) kept.push(bytes.subarray(end, at));
  }
  return joined(kept);
}

/** The next marker, past fill bytes and whatever lies where none should. */
function nextMarker(bytes: Uint8Array, from: number): number | undefined {
  for (let at = from; at + 1 < bytes.length; at++)
    if (bytes[at] === 0xff && bytes[at + 1] !== 0xff && bytes[at + 1] !== 0) return at;
  return undefined;
}

/** Markers without a length: restarts, and the obsolete TEM. */
const isBare = (code: number): boolean => (code >= 0xd0 && code <= 0xd8) || code === 0x01;

/** Where the coded picture ends: at the first marker that is neither a stuffed byte nor a restart. */
function endOfScan(bytes: Uint8Array, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) {
    const next = bytes[at + 1]!;
    if (bytes[at] === 0xff && next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7))
      return at;
  }
  return bytes.length;
}

/** A segment's body as it may stay. Of the application's segments, only those that are known to hold no place. */
function keptBody(code: number, body: Uint8Array): Uint8Array | undefined {
  if (code < APP0 || code > APP15 || code === APP0 || code === APP14) return body;
  if (code === APP2) return starts(body, ICC) ? body : undefined;
  return code === APP1 && starts(body, EXIF) ? withoutGps(body) : undefined;
}

const GPS = 0x8825;
const DETAILS = 0x8769;
/** Bytes of a value, by its TIFF type. */
const SIZES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
const MOST_DIRECTORIES = 8;

/** EXIF without its GPS directory, of the same length; undefined where it cannot be read. */
function withoutGps(body: Uint8Array): Uint8Array | undefined {
  const copy = body.slice();
  const tiff = copy.subarray(EXIF.length);
  try {
    new Tiff(tiff).removeGps();
    return copy;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A TIFF structure, changed in place. What lies outside of it throws a RangeError. */
class Tiff {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #little: boolean;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const order = this.#view.getUint16(0);
    this.#little = order === 0x4949;
    if ((order !== 0x4949 && order !== 0x4d4d) || this.#short(2) !== 42)
      throw new RangeError("no TIFF");
  }

  removeGps(): void {
    const pending = [this.#long(4)];
    for (let done = 0; done < MOST_DIRECTORIES && pending.length > 0; done++) {
      const directory = pending.shift()!;
      if (directory === 0) continue;
      for (let entry = this.#find(directory, GPS); entry; entry = this.#find(directory, GPS)) {
        this.#erase(this.#long(entry + 8));
        this.#remove(directory, entry);
      }
      const details = this.#find(directory, DETAILS);
      pending.push(this.#long(this.#end(directory)));
      if (details) pending.push(this.#long(details + 8));
    }
    // A chain so long is no camera's: what it hides is not looked for.
    if (pending.some((directory) => directory !== 0)) throw new RangeError("too many directories");
  }

  #short(at: number): number {
    return this.#view.getUint16(at, this.#little);
  }

  #long(at: number): number {
    return this.#view.getUint32(at, this.#little);
  }

  /** Where the entries of a directory end, and the address of the next one stands. */
  #end(directory: number): number {
    return directory + 2 + 12 * this.#short(directory);
  }

  #find(directory: number, tag: number): number | undefined {
    const end = this.#end(directory);
    for (let entry = directory + 2; entry < end; entry += 12)
      if (this.#short(entry) === tag) return entry;
    return undefined;
  }

  /** Overwrites a directory and its values with zeros. */
  #erase(directory: number): void {
    const end = this.#end(directory);
    for (let entry = directory + 2; entry < end; entry += 12) {
      const size = (SIZES[this.#short(entry + 2)] ?? 1) * this.#long(entry + 4);
      if (size > 4) this.#bytes.fill(0, this.#long(entry + 8), this.#long(entry + 8) + size);
    }
    this.#bytes.fill(0, directory, end + 4);
  }

  /** Closes the gap that the entry leaves, so that the others are read as before. */
  #remove(directory: number, entry: number): void {
    const end = this.#end(directory) + 4;
    this.#bytes.copyWithin(entry, entry + 12, end);
    this.#bytes.fill(0, end - 12, end);
    this.#view.setUint16(directory, this.#short(directory) - 1, this.#little);
  }
}
