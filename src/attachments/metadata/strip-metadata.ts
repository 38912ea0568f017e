/**
 * Removes location and other metadata from photos and videos: their length, their pixels and their sound stay as
 * they are. Of EXIF the orientation is kept. A file of another kind is not changed.
 */
import { type ByteSource, readFromMemory } from "./byte-source.ts";
import { readText } from "./bytes-text.ts";
import { findGifMetadata } from "./gif.ts";
import { findIsoMetadata } from "./iso-media.ts";
import { findJpegMetadata } from "./jpeg.ts";
import { findMatroskaMetadata } from "./matroska.ts";
import { applyPatches, arrangePatches, type Patch } from "./patch.ts";
import { findPngMetadata } from "./png.ts";
import { findWebpMetadata } from "./webp.ts";

type Finder = (source: ByteSource) => Promise<Patch[]>;

/** Types of the first box of ISO media files; older QuickTime files have no `ftyp`. */
const FIRST_BOXES = new Set(["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"]);

/** The first match counts. A head has one character for each of the first 16 bytes. */
const FINDERS: readonly (readonly [matches: (head: string) => boolean, find: Finder])[] = [
  [(head) => head.startsWith("\xff\xd8\xff"), findJpegMetadata],
  [(head) => head.startsWith("\x89PNG\r\n\x1a\n"), findPngMetadata],
  [(head) => head.startsWith("RIFF") && head.slice(8, 12) === "WEBP", findWebpMetadata],
  [(head) => /^GIF8[79]a/.test(head), findGifMetadata],
  [(head) => head.startsWith("\x1a\x45\xdf\xa3"), findMatroskaMetadata],
  [(head) => FIRST_BOXES.has(head.slice(4, 8)), findIsoMetadata],
];

/** Finds what has to be overwritten, in order and without overlaps; nothing in files of other kinds. Damaged files are searched up to the damage. */
export async function findMetadata(source: ByteSource): Promise<readonly Patch[]> {
  const head = readText(await source.read(0, 16), 0, 16);
  const finder = FINDERS.find(([matches]) => matches(head))?.[1];
  return finder ? arrangePatches(await finder(source)) : [];
}

/** Returns the file without its metadata, of the same length. */
export const stripMetadata = async (file: Uint8Array): Promise<Uint8Array> =>
  applyPatches(file, await findMetadata(readFromMemory(file)));
