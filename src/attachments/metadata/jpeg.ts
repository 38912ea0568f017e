/**
 * Finds the metadata of a JPEG: EXIF except the orientation, XMP, IPTC, comments, and the pictures and videos that
 * cameras append. The color profile is kept.
 */
import { startsWithText } from "./bytes-text.ts";
import type { ByteSource } from "./byte-source.ts";
import { buildMinimalTiff } from "./exif.ts";
import { erase, overwrite, type Patch } from "./patch.ts";

const SOS = 0xda;
const EOI = 0xd9;
const COMMENT = 0xfe;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const APP15 = 0xef;

const EXIF_HEADER = "Exif\0\0";
const ICC_HEADER = "ICC_PROFILE\0";

/** Cameras write fewer than a hundred segments. All bytes after this many segments are erased. */
const MAX_SEGMENTS = 2_000;
/** Bytes that are searched for a marker at once. */
const SCAN_BYTES = 1024 * 1024;
const FILL_BYTE = Uint8Array.of(0xff);

export async function findJpegMetadata(source: ByteSource): Promise<Patch[]> {
  const { size } = source;
  const patches: Patch[] = [];
  let at = 2;
  for (let segments = 0, inScan = false; segments < MAX_SEGMENTS; segments++) {
    const marker = await findMarker(source, at);
    // Bytes between segments belong to no picture. Fill bytes (0xff) and the data of a scan do.
    if (!inScan && marker > at) patches.push(fillGap(at, marker - at));
    if (marker >= size) return patches;
    const [, code = EOI, high = 0, low = 0] = await source.read(marker, 4);
    const length = (high << 8) | low;
    at = marker + 2 + length;
    if (code === EOI || length < 2 || at > size) {
      if (marker + 2 < size) patches.push(erase(marker + 2, size - marker - 2));
      return patches;
    }
    patches.push(...patchSegment(code, marker + 4, await source.read(marker + 4, length - 2)));
    inScan = code === SOS;
  }
  return [...patches, erase(at, size - at)];
}

const fillGap = (at: number, length: number): Patch => ({ at, length, fill: FILL_BYTE });

/** Finds the next marker that begins a segment or ends the picture; the file's size if there is none. */
async function findMarker(source: ByteSource, from: number): Promise<number> {
  const { size } = source;
  for (let start = from; start + 1 < size;) {
    const bytes = await source.read(start, SCAN_BYTES);
    for (let at = 0; at + 1 < bytes.length; at++)
      if (bytes[at] === 0xff && isSegmentMarker(bytes[at + 1]!)) return start + at;
    // The last byte is read again, since it may be the first of a marker.
    start += Math.max(bytes.length - 1, 1);
  }
  return size;
}

/** False for stuffed bytes, fill bytes, and the markers without a length: restarts, a second start, and TEM. */
const isSegmentMarker = (code: number): boolean =>
  code !== 0x00 && code !== 0xff && code !== 0x01 && !(code >= 0xd0 && code <= 0xd8);

function patchSegment(code: number, at: number, body: Uint8Array): Patch[] {
  if (code === APP1 && startsWithText(body, EXIF_HEADER)) {
    const start = EXIF_HEADER.length;
    const tiff = buildMinimalTiff(body.subarray(start));
    return [overwrite(at + start, tiff, body.length - start)];
  }
  const isKept =
    code === APP2
      ? startsWithText(body, ICC_HEADER)
      : code === APP0 || code === APP14 || !((code > APP0 && code <= APP15) || code === COMMENT);
  return isKept ? [] : [erase(at, body.length)];
}
