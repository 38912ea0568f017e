/** Finds where the samples of tracks are stored in the fragments of an ISO media file. */
import type { ByteSource } from "./byte-source.ts";
import { type Box, listBoxes, MAX_TABLE_BYTES, NumberReader, readBox } from "./iso-boxes.ts";

/** The tracks whose samples are erased. */
export interface ErasedTracks {
  ids: Set<number>;
  /** Bytes of a sample whose fragment states no size, by track id. */
  sampleBytes: Map<number, number>;
}

/** The part of a track in one fragment. */
interface TrackFragment {
  box: Box;
  /** Ranges of the file, as offset and length. */
  runs: { at: number; length: number }[];
}

const TRACK_FLAGS = { base: 0x1, description: 0x2, duration: 0x8, size: 0x10, baseIsMoof: 0x20000 };
const RUN_FLAGS = {
  offset: 0x1,
  firstFlags: 0x4,
  duration: 0x100,
  size: 0x200,
  sampleFlags: 0x400,
  timeOffset: 0x800,
};

/** Reads the id of a track from its `tkhd` box; undefined where the track has none. */
export async function readTrackId(source: ByteSource, track: Box): Promise<number | undefined> {
  const header = (await listBoxes(source, track.data, track.end)).find(
    ({ type }) => type === "tkhd",
  );
  if (!header) return undefined;
  const numbers = new NumberReader(await readBox(source, header, MAX_TABLE_BYTES));
  return readIfComplete(() => {
    const version = numbers.read(1);
    numbers.read(3 + (version === 1 ? 16 : 8));
    return numbers.read(4);
  });
}

/** Reads the default sizes of samples from an `mvex` box. */
export async function readSampleDefaults(
  source: ByteSource,
  extension: Box,
): Promise<Map<number, number>> {
  const sizes = new Map<number, number>();
  for (const box of await listBoxes(source, extension.data, extension.end)) {
    if (box.type !== "trex") continue;
    const numbers = new NumberReader(await readBox(source, box, MAX_TABLE_BYTES));
    readIfComplete(() => {
      numbers.read(4);
      const id = numbers.read(4);
      numbers.read(8);
      sizes.set(id, numbers.read(4));
    });
  }
  return sizes;
}

/** Lists the parts of the erased tracks in a `moof` box. */
export async function findErasedFragments(
  source: ByteSource,
  fragment: Box,
  tracks: ErasedTracks,
): Promise<TrackFragment[]> {
  const found: TrackFragment[] = [];
  // Without an offset of its own, a part begins where the one before ended (ISO/IEC 14496-12, section 8.8.7).
  let end = fragment.at;
  for (const box of await listBoxes(source, fragment.data, fragment.end)) {
    if (box.type !== "traf") continue;
    const boxes = await listBoxes(source, box.data, box.end);
    const header = boxes.find(({ type }) => type === "tfhd");
    if (!header) continue;
    const part = await readHeader(source, header, fragment.at, end);
    if (!part) continue;
    const runs: TrackFragment["runs"] = [];
    end = part.base;
    for (const run of boxes.filter(({ type }) => type === "trun")) {
      const numbers = new NumberReader(await readBox(source, run, MAX_TABLE_BYTES));
      const bytes = part.sampleBytes ?? tracks.sampleBytes.get(part.id) ?? 0;
      const range = readIfComplete(() => readRun(numbers, part.base, end, bytes));
      if (!range) continue;
      runs.push(range);
      end = range.at + range.length;
    }
    if (tracks.ids.has(part.id)) found.push({ box, runs });
  }
  return found;
}

async function readHeader(
  source: ByteSource,
  header: Box,
  fragmentStart: number,
  previousEnd: number,
): Promise<{ id: number; base: number; sampleBytes?: number } | undefined> {
  const numbers = new NumberReader(await readBox(source, header, MAX_TABLE_BYTES));
  return readIfComplete(() => {
    const flags = numbers.read(4);
    const id = numbers.read(4);
    const ownBase = numbers.read(flags & TRACK_FLAGS.base ? 8 : 0);
    numbers.read(flags & TRACK_FLAGS.description ? 4 : 0);
    numbers.read(flags & TRACK_FLAGS.duration ? 4 : 0);
    const defaultBase = flags & TRACK_FLAGS.baseIsMoof ? fragmentStart : previousEnd;
    const base = flags & TRACK_FLAGS.base ? ownBase : defaultBase;
    return flags & TRACK_FLAGS.size ? { id, base, sampleBytes: numbers.read(4) } : { id, base };
  });
}

function readRun(
  numbers: NumberReader,
  base: number,
  previousEnd: number,
  defaultBytes: number,
): { at: number; length: number } {
  const flags = numbers.read(4) & 0xffffff;
  const count = numbers.read(4);
  // The offset is signed.
  const at = flags & RUN_FLAGS.offset ? base + (numbers.read(4) | 0) : previousEnd;
  if (!(flags & RUN_FLAGS.size)) return { at, length: count * defaultBytes };
  numbers.read(flags & RUN_FLAGS.firstFlags ? 4 : 0);
  let length = 0;
  for (let left = count; left > 0; left--) {
    numbers.read(flags & RUN_FLAGS.duration ? 4 : 0);
    length += numbers.read(4);
    numbers.read(flags & RUN_FLAGS.sampleFlags ? 4 : 0);
    numbers.read(flags & RUN_FLAGS.timeOffset ? 4 : 0);
  }
  return { at, length };
}

/** Runs `read`; returns undefined where the data ends too early. */
function readIfComplete<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
