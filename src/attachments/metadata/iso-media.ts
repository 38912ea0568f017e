/**
 * Finds the metadata of ISO media files: MP4, QuickTime, HEIC, AVIF. Boxes with metadata become `free` boxes, which
 * every reader skips.
 */
import { type ByteSource, limitReads } from "./byte-source.ts";
import { readText, toBytes } from "./bytes-text.ts";
import { findItemMetadata } from "./heif-items.ts";
import { type Box, listBoxes, MAX_TABLE_BYTES, readBox } from "./iso-boxes.ts";
import {
  type ErasedTracks,
  findErasedFragments,
  readSampleDefaults,
  readTrackId,
} from "./iso-fragments.ts";
import { findSampleRanges } from "./iso-samples.ts";
import { erase, overwrite, type Patch } from "./patch.ts";

const CONTAINERS = new Set(["moov", "trak", "moof", "traf", "mpvd"]);
const METADATA_BOXES = new Set(["udta", "meta", "uuid"]);
/** Handlers of tracks with positions or other measurements over time. Drones write them as subtitles. */
const METADATA_HANDLERS = new Set(["meta", "camm", "sbtl", "subt", "text"]);
/** Offset of the handler's type in a `hdlr` box. */
const HANDLER_OFFSET = 8;
/** Containers around a box: real files have two. */
const MAX_DEPTH = 4;
/** Reads in one file: a long recording in fragments has several thousand boxes. */
const MAX_READS = 200_000;
/** Changes in one file: a track of an hour with a position in each of its chunks has fewer. */
const MAX_PATCHES = 200_000;

export async function findIsoMetadata(source: ByteSource): Promise<Patch[]> {
  const found: Found = { patches: [], tracks: { ids: new Set(), sampleBytes: new Map() } };
  await findInBoxes(limitReads(source, MAX_READS), { from: 0, to: source.size, depth: 0 }, found);
  return found.patches;
}

interface Range {
  from: number;
  to: number;
  /** Number of containers around the range. */
  depth: number;
}

interface Found {
  patches: Patch[];
  /** The tracks found so far, whose fragments follow. */
  tracks: ErasedTracks;
}

/** Adds to `found`. */
async function findInBoxes(
  source: ByteSource,
  { from, to, depth }: Range,
  found: Found,
): Promise<void> {
  const { patches, tracks } = found;
  for (const box of await listBoxes(source, from, to)) {
    const left = MAX_PATCHES - patches.length;
    if (left <= 0) return;
    if (box.type === "meta" && (await isPicture(source, box)))
      patches.push(...(await findItemMetadata(source, box)));
    else if (METADATA_BOXES.has(box.type)) patches.push(...freeBox(box));
    else if (box.type === "trak" && (await isMetadataTrack(source, box))) {
      for (const patch of await findSampleRanges(source, box, left)) patches.push(patch);
      patches.push(...freeBox(box));
      const id = await readTrackId(source, box);
      if (id !== undefined) tracks.ids.add(id);
    } else if (box.type === "mvex") tracks.sampleBytes = await readSampleDefaults(source, box);
    else if (CONTAINERS.has(box.type) && depth < MAX_DEPTH) {
      if (box.type === "moof" && tracks.ids.size > 0)
        for (const patch of await findFragmentPatches(source, box, tracks)) patches.push(patch);
      await findInBoxes(source, { from: box.data, to: box.end, depth: depth + 1 }, found);
    }
  }
}

async function findFragmentPatches(
  source: ByteSource,
  fragment: Box,
  tracks: ErasedTracks,
): Promise<Patch[]> {
  const parts = await findErasedFragments(source, fragment, tracks);
  return parts.flatMap(({ box, runs }) => [
    ...freeBox(box),
    ...runs.map(({ at, length }) => erase(at, length)),
  ]);
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
