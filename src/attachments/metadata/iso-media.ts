/**
 * Finds the metadata of ISO media files: MP4, QuickTime, HEIC, AVIF. Boxes with metadata become `free` boxes, which
 * every reader skips.
 */
import type { ByteSource } from "./byte-source.ts";
import { readText, toBytes } from "./bytes-text.ts";
import { findItemMetadata } from "./heif-items.ts";
import { type Box, listBoxes, MAX_TABLE_BYTES, readBox } from "./iso-boxes.ts";
import { findSampleRanges } from "./iso-samples.ts";
import { erase, overwrite, type Patch } from "./patch.ts";

const CONTAINERS = new Set(["moov", "trak", "moof", "traf", "mpvd"]);
const METADATA_BOXES = new Set(["udta", "meta", "uuid"]);
/** Handlers of tracks with positions or other measurements over time. */
const METADATA_HANDLERS = new Set(["meta", "camm"]);
/** Offset of the handler's type in a `hdlr` box. */
const HANDLER_OFFSET = 8;

export const findIsoMetadata = (source: ByteSource): Promise<Patch[]> =>
  findInBoxes(source, 0, source.size);

async function findInBoxes(source: ByteSource, from: number, to: number): Promise<Patch[]> {
  const patches: Patch[] = [];
  for (const box of await listBoxes(source, from, to)) {
    if (box.type === "meta" && (await isPicture(source, box)))
      patches.push(...(await findItemMetadata(source, box)));
    else if (METADATA_BOXES.has(box.type)) patches.push(...freeBox(box));
    else if (box.type === "trak" && (await isMetadataTrack(source, box)))
      patches.push(...(await findSampleRanges(source, box)), ...freeBox(box));
    else if (CONTAINERS.has(box.type))
      patches.push(...(await findInBoxes(source, box.data, box.end)));
  }
  return patches;
}

const freeBox = ({ at, data, end }: Box): Patch[] => [
  overwrite(at + 4, toBytes("free")),
  erase(data, end - data),
];

/** True for the `meta` box that lists the items of a picture, as in HEIC. It begins with a version. */
const isPicture = async (source: ByteSource, { data, end }: Box): Promise<boolean> =>
  (await readHandler(source, data + 4, end)) === "pict";

async function isMetadataTrack(source: ByteSource, { data, end }: Box): Promise<boolean> {
  const media = (await listBoxes(source, data, end)).find(({ type }) => type === "mdia");
  return (
    media !== undefined && METADATA_HANDLERS.has(await readHandler(source, media.data, media.end))
  );
}

async function readHandler(source: ByteSource, from: number, to: number): Promise<string> {
  const handler = (await listBoxes(source, from, to)).find(({ type }) => type === "hdlr");
  if (!handler) return "";
  const box = await readBox(source, handler, MAX_TABLE_BYTES);
  return readText(box, HANDLER_OFFSET, 4);
}
