/** Boxes of ISO media files: a size, a type of four characters, and data, which may be boxes again. */
import { readText, viewOf } from "./bytes-text.ts";
import type { ByteSource } from "./byte-source.ts";

export interface Box {
  type: string;
  /** Offset of the box. */
  at: number;
  /** Offset of its data. */
  data: number;
  /** Offset after the box. */
  end: number;
}

/** Boxes of one container. Long recordings in fragments have several thousand. */
const MAX_BOXES = 20_000;
/** Largest table that is read into memory. */
export const MAX_TABLE_BYTES = 4 * 1024 * 1024;

/** Lists the boxes between two offsets, up to the first damaged one. */
export async function listBoxes(source: ByteSource, from: number, to: number): Promise<Box[]> {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to && boxes.length < MAX_BOXES;) {
    const head = await source.read(at, 16);
    if (head.length < 8) break;
    const view = viewOf(head);
    const stated = view.getUint32(0);
    const isLong = stated === 1 && head.length === 16;
    const size = isLong ? Number(view.getBigUint64(8)) : stated === 0 ? to - at : stated;
    const data = at + (isLong ? 16 : 8);
    if (at + size < data || at + size > to) break;
    boxes.push({ type: readText(head, 4, 4), at, data, end: at + size });
    at += size;
  }
  return boxes;
}

/** Reads the data of a box; empty where it is longer than `maxBytes`. */
export const readBox = async (
  source: ByteSource,
  { data, end }: Box,
  maxBytes: number,
): Promise<Uint8Array> =>
  end - data <= maxBytes ? await source.read(data, end - data) : new Uint8Array();

/** Reads big-endian numbers one after the other. Throws a `RangeError` after the end of the data. */
export class NumberReader {
  readonly #view: DataView;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#view = viewOf(bytes);
  }

  /** @param bytes 0 to 8; no bytes are 0 */
  read(bytes: number): number {
    let number = 0;
    for (let left = bytes; left > 0; left--) number = number * 256 + this.#view.getUint8(this.at++);
    return number;
  }

  readText(length: number): string {
    return Array.from({ length }, () => String.fromCharCode(this.read(1))).join("");
  }
}
