/** Finds the metadata of a WebP: EXIF except the orientation, XMP, unknown chunks, and bytes after its end. */
import type { ByteSource } from "./byte-source.ts";
import { readText, startsWithText, toBytes, viewOf } from "./bytes-text.ts";
import { buildMinimalTiff, EXIF_HEAD_BYTES } from "./exif.ts";
import { erase, overwrite, type Patch } from "./patch.ts";

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const MAX_CHUNKS = 100_000;

const VISIBLE_CHUNKS = new Set(["VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"]);
/** In the first byte of `VP8X`: the file has an XMP chunk. */
const XMP_FLAG = 0x04;
/** A type that every reader of RIFF files skips. */
const SKIPPED_TYPE = toBytes("JUNK");
/** Some writers put the header of a JPEG's EXIF segment before the TIFF structure. */
const EXIF_HEADER = "Exif\0\0";

export async function findWebpMetadata(source: ByteSource): Promise<Patch[]> {
  const patches: Patch[] = [];
  const riff = viewOf(await source.read(0, RIFF_HEADER_BYTES));
  const end = Math.min(8 + riff.getUint32(4, true), source.size);
  let at = RIFF_HEADER_BYTES;
  for (let chunks = 0; chunks < MAX_CHUNKS && at + CHUNK_HEADER_BYTES <= end; chunks++) {
    const head = await source.read(at, CHUNK_HEADER_BYTES + 1);
    const type = readText(head, 0, 4);
    const data = at + CHUNK_HEADER_BYTES;
    const length = Math.min(viewOf(head).getUint32(4, true), end - data);
    if (type === "VP8X") patches.push(overwrite(data, Uint8Array.of((head[8] ?? 0) & ~XMP_FLAG)));
    else if (type === "EXIF") patches.push(await patchExif(source, data, length));
    else if (!VISIBLE_CHUNKS.has(type))
      patches.push(overwrite(at, SKIPPED_TYPE), erase(data, length));
    at = data + length + (length % 2);
  }
  return at === end && end < source.size ? [...patches, erase(end, source.size - end)] : patches;
}

async function patchExif(source: ByteSource, data: number, length: number): Promise<Patch> {
  const head = await source.read(data, Math.min(length, EXIF_HEAD_BYTES));
  const start = startsWithText(head, EXIF_HEADER) ? EXIF_HEADER.length : 0;
  return overwrite(data + start, buildMinimalTiff(head.subarray(start)), length - start);
}
