/**
 * Removes the location from a JPEG: the GPS part of its EXIF, and other segments that may repeat it (XMP, IPTC,
 * pictures and videos that cameras append). Orientation, color profile and time are kept; pixels are not changed.
 */
import { concatBytes } from "../bytes.ts";

const SOS = 0xda;
const EOI = 0xd9;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const APP15 = 0xef;

/** Cameras write some tens of segments. Later segments are dropped, to bound memory for a hostile file. */
const MAX_SEGMENTS = 2_000;

const EXIF_HEADER = "Exif\0\0";
const ICC_HEADER = "ICC_PROFILE\0";

const startsWithText = (bytes: Uint8Array, text: string): boolean =>
  bytes.length >= text.length &&
  Array.from(text).every((character, at) => bytes[at] === character.charCodeAt(0));

/** Returns the picture without its location; other files and pictures without a location are returned unchanged. */
export function stripLocation(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return bytes;
  const parts: Uint8Array[] = [bytes.subarray(0, 2)];
  let at = 2;
  for (let segments = 0; at < bytes.length && segments < MAX_SEGMENTS; segments++) {
    const marker = findNextMarker(bytes, at);
    if (marker === undefined) break;
    const code = bytes[marker + 1]!;
    if (code === EOI || isBareMarker(code)) {
      parts.push(bytes.subarray(marker, marker + 2));
      at = marker + 2;
      if (code === EOI) break;
      continue;
    }
    const length = ((bytes[marker + 2] ?? 0) << 8) | (bytes[marker + 3] ?? 0);
    const end = marker + 2 + length;
    if (length < 2 || end > bytes.length) break;
    const body = filterSegment(code, bytes.subarray(marker + 4, end));
    if (body) parts.push(bytes.subarray(marker, marker + 4), body);
    at = code === SOS ? findEndOfScan(bytes, end) : end;
    if (code === SOS) parts.push(bytes.subarray(end, at));
  }
  return concatBytes(parts);
}

/** Finds the next marker; skips fill bytes and stray bytes. */
function findNextMarker(bytes: Uint8Array, from: number): number | undefined {
  for (let at = from; at + 1 < bytes.length; at++)
    if (bytes[at] === 0xff && bytes[at + 1] !== 0xff && bytes[at + 1] !== 0) return at;
  return undefined;
}

/** Markers without a length: restarts, and the obsolete TEM. */
const isBareMarker = (code: number): boolean => (code >= 0xd0 && code <= 0xd8) || code === 0x01;

/** Finds the end of the image data: the first marker that is neither a stuffed byte nor a restart. */
function findEndOfScan(bytes: Uint8Array, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) {
    const next = bytes[at + 1]!;
    if (bytes[at] === 0xff && next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7))
      return at;
  }
  return bytes.length;
}

/** Returns the body to keep. Application segments are kept only where they are known to contain no location. */
function filterSegment(code: number, body: Uint8Array): Uint8Array | undefined {
  if (code < APP0 || code > APP15 || code === APP0 || code === APP14) return body;
  if (code === APP2) return startsWithText(body, ICC_HEADER) ? body : undefined;
  return code === APP1 && startsWithText(body, EXIF_HEADER) ? stripGps(body) : undefined;
}

const GPS_IFD_TAG = 0x8825;
const EXIF_IFD_TAG = 0x8769;
/** Bytes of a value by TIFF type. */
const TIFF_TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
const MAX_DIRECTORIES = 8;

/** Returns the EXIF without its GPS directory, with the same length; undefined where the EXIF is unreadable. */
function stripGps(body: Uint8Array): Uint8Array | undefined {
  const copy = body.slice();
  const tiff = copy.subarray(EXIF_HEADER.length);
  try {
    new Tiff(tiff).removeGps();
    return copy;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A TIFF structure, changed in place. An offset outside of it throws a RangeError. */
class Tiff {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #isLittleEndian: boolean;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const order = this.#view.getUint16(0);
    this.#isLittleEndian = order === 0x4949;
    if ((order !== 0x4949 && order !== 0x4d4d) || this.#readShort(2) !== 42)
      throw new RangeError("no TIFF");
  }

  removeGps(): void {
    const pending = [this.#readLong(4)];
    for (let done = 0; done < MAX_DIRECTORIES && pending.length > 0; done++) {
      const directory = pending.shift()!;
      if (directory === 0) continue;
      for (
        let entry = this.#find(directory, GPS_IFD_TAG);
        entry;
        entry = this.#find(directory, GPS_IFD_TAG)
      ) {
        this.#erase(this.#readLong(entry + 8));
        this.#remove(directory, entry);
      }
      const details = this.#find(directory, EXIF_IFD_TAG);
      pending.push(this.#readLong(this.#findEnd(directory)));
      if (details) pending.push(this.#readLong(details + 8));
    }
    // No camera writes a chain this long; the EXIF is treated as unreadable.
    if (pending.some((directory) => directory !== 0)) throw new RangeError("too many directories");
  }

  #readShort(at: number): number {
    return this.#view.getUint16(at, this.#isLittleEndian);
  }

  #readLong(at: number): number {
    return this.#view.getUint32(at, this.#isLittleEndian);
  }

  /** Returns the end of a directory's entries, where the offset of the next directory is stored. */
  #findEnd(directory: number): number {
    return directory + 2 + 12 * this.#readShort(directory);
  }

  #find(directory: number, tag: number): number | undefined {
    const end = this.#findEnd(directory);
    for (let entry = directory + 2; entry < end; entry += 12)
      if (this.#readShort(entry) === tag) return entry;
    return undefined;
  }

  /** Overwrites a directory and its values with zeros. */
  #erase(directory: number): void {
    const end = this.#findEnd(directory);
    for (let entry = directory + 2; entry < end; entry += 12) {
      const size = (TIFF_TYPE_BYTES[this.#readShort(entry + 2)] ?? 1) * this.#readLong(entry + 4);
      if (size > 4)
        this.#bytes.fill(0, this.#readLong(entry + 8), this.#readLong(entry + 8) + size);
    }
    this.#bytes.fill(0, directory, end + 4);
  }

  /** Removes the entry and closes the gap, so that the other entries stay readable. */
  #remove(directory: number, entry: number): void {
    const end = this.#findEnd(directory) + 4;
    this.#bytes.copyWithin(entry, entry + 12, end);
    this.#bytes.fill(0, end - 12, end);
    this.#view.setUint16(directory, this.#readShort(directory) - 1, this.#isLittleEndian);
  }
}
