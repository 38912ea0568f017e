/** Finds the metadata of a PNG: every chunk that does not change how the picture looks, and bytes after its end. */
import { concatBytes } from "../../bytes.ts";
import { computeCrc32 } from "../crc32.ts";
import type { ByteSource } from "./byte-source.ts";
import { readText, toBytes, viewOf } from "./bytes-text.ts";
import { buildMinimalTiff, EXIF_HEAD_BYTES } from "./exif.ts";
import { erase, overwrite, type Patch } from "./patch.ts";

const SIGNATURE_BYTES = 8;
/** Length, type and checksum of a chunk. */
const FRAME_BYTES = 12;
const MAX_CHUNKS = 100_000;

/** Chunks that change how the picture looks; those that begin with a capital letter are always kept. */
const VISIBLE_CHUNKS = new Set(
  "tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs sPLT acTL fcTL fdAT".split(" "),
);
/** A private type that every reader skips. */
const SKIPPED_TYPE = toBytes("skIp");

export async function findPngMetadata(source: ByteSource): Promise<Patch[]> {
  const { size } = source;
  const patches: Patch[] = [];
  let at = SIGNATURE_BYTES;
  for (let chunks = 0; chunks < MAX_CHUNKS && at + FRAME_BYTES <= size; chunks++) {
    const head = await source.read(at, 8);
    const length = viewOf(head).getUint32(0);
    const type = readText(head, 4, 4);
    const next = at + FRAME_BYTES + length;
    if (next > size) return patches;
    if (type === "eXIf") patches.push(...(await patchExif(source, at, length)));
    else if (!/^[A-Z]/.test(type) && !VISIBLE_CHUNKS.has(type))
      patches.push(...replaceChunk(at, SKIPPED_TYPE, new Uint8Array(), length));
    at = next;
    if (type === "IEND") return at < size ? [...patches, erase(at, size - at)] : patches;
  }
  return patches;
}

async function patchExif(source: ByteSource, at: number, length: number): Promise<Patch[]> {
  const tiff = await source.read(at + 8, Math.min(length, EXIF_HEAD_BYTES));
  return replaceChunk(at, toBytes("eXIf"), buildMinimalTiff(tiff), length);
}

/** Replaces a chunk's type and data (`data`, then zeros) and its checksum. */
function replaceChunk(at: number, type: Uint8Array, data: Uint8Array, length: number): Patch[] {
  const begin = concatBytes([type, data]);
  const checksum = new DataView(new ArrayBuffer(4));
  checksum.setUint32(0, addZeros(computeCrc32(begin), length - data.length));
  return [
    overwrite(at + 4, begin, 4 + length),
    overwrite(at + 8 + length, new Uint8Array(checksum.buffer)),
  ];
}

function addZeros(checksum: number, length: number): number {
  const zeros = new Uint8Array(Math.min(length, 64 * 1024));
  let result = checksum;
  for (let left = length; left > 0; left -= zeros.length)
    result = computeCrc32(zeros.subarray(0, Math.min(left, zeros.length)), result);
  return result;
}
