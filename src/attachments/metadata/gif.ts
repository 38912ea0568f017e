/** Finds the metadata of a GIF: comments, XMP and other application data, and bytes after its end. */
import type { ByteSource } from "./byte-source.ts";
import { readText } from "./bytes-text.ts";
import { erase, overwrite, type Patch } from "./patch.ts";

const HEADER_BYTES = 13;
const IMAGE = 0x2c;
const EXTENSION = 0x21;
const TRAILER = 0x3b;
const COMMENT = 0xfe;
const APPLICATION = 0xff;

/** Application data that sets how often an animation is repeated. */
const VISIBLE_APPLICATIONS = new Set(["NETSCAPE2.0", "ANIMEXTS1.0"]);
const MAX_BLOCKS = 100_000;
/** Bytes that are searched for the end of a sequence of blocks at once. */
const WINDOW_BYTES = 64 * 1024;
/** The largest block, with zeros as data. */
const ZERO_BLOCK = new Uint8Array(256).fill(255, 0, 1);

export async function findGifMetadata(source: ByteSource): Promise<Patch[]> {
  const patches: Patch[] = [];
  const header = await source.read(0, HEADER_BYTES);
  let at = HEADER_BYTES + readColorTableBytes(header[10] ?? 0);
  for (let blocks = 0; blocks < MAX_BLOCKS && at < source.size; blocks++) {
    const head = await source.read(at, 14);
    if (head[0] === TRAILER) return [...patches, erase(at + 1, source.size - at - 1)];
    if (head[0] === IMAGE) {
      at = await skipBlocks(source, at + 11 + readColorTableBytes(head[9] ?? 0));
      continue;
    }
    if (head[0] !== EXTENSION) return patches;
    const isApplication = head[1] === APPLICATION;
    const data = isApplication ? at + 3 + (head[2] ?? 0) : at + 2;
    const end = await skipBlocks(source, data);
    const isKept = isApplication
      ? VISIBLE_APPLICATIONS.has(readText(head, 3, 11))
      : head[1] !== COMMENT;
    if (!isKept && end > data) patches.push(...zeroBlocks(data, end - data));
    at = end;
  }
  return patches;
}

/** Bytes of the color table that the packed field of a header or an image describes. */
const readColorTableBytes = (packed: number): number =>
  packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0;

/** Returns the offset after a sequence of data blocks, which a block of length zero ends. */
async function skipBlocks(source: ByteSource, from: number): Promise<number> {
  let at = from;
  while (at < source.size) {
    const bytes = await source.read(at, WINDOW_BYTES);
    if (bytes.length === 0) break;
    let index = 0;
    while (index < bytes.length) {
      const length = bytes[index]!;
      index += 1 + length;
      if (length === 0) return at + index;
    }
    at += index;
  }
  return source.size;
}

/** Overwrites with data blocks of zeros and their end, `length` bytes long in all. */
function zeroBlocks(at: number, length: number): Patch[] {
  const last = 1 + ((length - 1) % 256);
  const bytes = new Uint8Array(last);
  // The last byte ends the sequence.
  if (last > 1) bytes[0] = last - 2;
  return [{ at, length: length - last, fill: ZERO_BLOCK }, overwrite(at + length - last, bytes)];
}
