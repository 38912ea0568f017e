/** Finds the metadata items of a HEIC or AVIF picture. Its `irot` property holds the orientation, not its EXIF. */
import type { ByteSource } from "./byte-source.ts";
import { type Box, listBoxes, MAX_TABLE_BYTES, NumberReader, readBox } from "./iso-boxes.ts";
import { erase, type Patch } from "./patch.ts";

const METADATA_ITEMS = new Set(["Exif", "mime", "uri "]);
/** Where an extent's offset counts from: the file, or the `idat` box. */
const FROM_FILE = 0;
const FROM_DATA_BOX = 1;
/** Real pictures have fewer than a thousand. An extent may take no byte of the table, so its length is no limit. */
const MAX_EXTENTS = 20_000;

/** @param meta the picture's `meta` box, which begins with a version */
export async function findItemMetadata(source: ByteSource, meta: Box): Promise<Patch[]> {
  const boxes = await listBoxes(source, meta.data + 4, meta.end);
  const find = (type: string) => boxes.find((box) => box.type === type);
  const [info, locations, data] = [find("iinf"), find("iloc"), find("idat")];
  if (!info || !locations) return [];
  try {
    const ids = await listMetadataItems(source, info);
    const table = await readBox(source, locations, MAX_TABLE_BYTES);
    return readLocations(table, data)
      .filter(({ item }) => ids.has(item))
      .map(({ at, length }) => erase(at, Math.min(length, source.size - at)));
  } catch (error) {
    // The table is damaged, so that no reader finds the items.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

async function listMetadataItems(source: ByteSource, info: Box): Promise<Set<number>> {
  const [version = 0] = await source.read(info.data, 1);
  const entries = await listBoxes(source, info.data + (version === 0 ? 6 : 8), info.end);
  const ids = new Set<number>();
  for (const entry of entries) {
    const reader = new NumberReader(await readBox(source, entry, MAX_TABLE_BYTES));
    const entryVersion = reader.read(4) >>> 24;
    if (entryVersion < 2) continue;
    const item = reader.read(entryVersion === 2 ? 2 : 4);
    reader.read(2);
    if (METADATA_ITEMS.has(reader.readText(4))) ids.add(item);
  }
  return ids;
}

interface Extent {
  item: number;
  /** Offset in the file. */
  at: number;
  length: number;
}

function readLocations(table: Uint8Array, data: Box | undefined): Extent[] {
  const reader = new NumberReader(table);
  const version = reader.read(4) >>> 24;
  const sizes = reader.read(1);
  const [offsetBytes, lengthBytes] = [sizes >> 4, sizes & 15];
  const more = reader.read(1);
  const [baseBytes, indexBytes] = [more >> 4, version === 0 ? 0 : more & 15];
  const idBytes = version < 2 ? 2 : 4;
  const extents: Extent[] = [];
  let left = MAX_EXTENTS;
  for (let items = reader.read(idBytes); items > 0; items--) {
    const item = reader.read(idBytes);
    const method = version === 0 ? FROM_FILE : reader.read(2) & 15;
    reader.read(2);
    const start = method === FROM_DATA_BOX ? data?.data : method === FROM_FILE ? 0 : undefined;
    const base = reader.read(baseBytes);
    for (let count = reader.read(2); count > 0; count--) {
      if (--left < 0) throw new RangeError("too many extents");
      reader.read(indexBytes);
      const at = base + reader.read(offsetBytes);
      const length = reader.read(lengthBytes);
      if (start !== undefined) extents.push({ item, at: start + at, length });
    }
  }
  return extents;
}
