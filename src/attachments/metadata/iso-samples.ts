/** Finds where the samples of a track are stored in the file. */
import type { ByteSource } from "./byte-source.ts";
import { type Box, listBoxes, MAX_TABLE_BYTES, NumberReader, readBox } from "./iso-boxes.ts";
import { erase, type Patch } from "./patch.ts";

const PATH_TO_TABLES = ["mdia", "minf", "stbl"];
const MAX_SAMPLES = 2_000_000;

/** Returns a patch that erases each chunk of the track; none where its tables are damaged or have too many chunks. */
export async function findSampleRanges(
  source: ByteSource,
  track: Box,
  maxChunks: number,
): Promise<Patch[]> {
  let boxes = await listBoxes(source, track.data, track.end);
  for (const name of PATH_TO_TABLES) {
    const box = boxes.find(({ type }) => type === name);
    if (!box) return [];
    boxes = await listBoxes(source, box.data, box.end);
  }
  const readTable = async (name: string): Promise<NumberReader | undefined> => {
    const box = boxes.find(({ type }) => type === name);
    return box && new NumberReader(await readBox(source, box, MAX_TABLE_BYTES));
  };
  const offsets = await readTable("stco");
  const longOffsets = await readTable("co64");
  const [sizes, runs] = [await readTable("stsz"), await readTable("stsc")];
  const chunks = offsets ?? longOffsets;
  if (!chunks || !sizes || !runs) return [];
  try {
    return readChunks(chunks, offsets ? 4 : 8, readSampleSizes(sizes), readRuns(runs), maxChunks);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** Returns the size of each sample; a constant where all have one size. */
function readSampleSizes(table: NumberReader): (index: number) => number {
  table.read(4);
  const constant = table.read(4);
  const count = table.read(4);
  if (constant !== 0) return () => constant;
  const sizes: number[] = [];
  for (let index = 0; index < count; index++) sizes.push(table.read(4));
  return (index) => sizes[index] ?? 0;
}

interface Run {
  /** Number of the first chunk, from 1. */
  firstChunk: number;
  samplesPerChunk: number;
}

function readRuns(table: NumberReader): Run[] {
  table.read(4);
  const runs: Run[] = [];
  for (let left = table.read(4); left > 0; left--) {
    const [firstChunk, samplesPerChunk] = [table.read(4), table.read(4)];
    table.read(4);
    runs.push({ firstChunk, samplesPerChunk });
  }
  return runs;
}

function readChunks(
  table: NumberReader,
  offsetBytes: number,
  sizeOf: (index: number) => number,
  runs: readonly Run[],
  maxChunks: number,
): Patch[] {
  table.read(4);
  const count = table.read(4);
  if (count > maxChunks) throw new RangeError("too many chunks");
  const patches: Patch[] = [];
  let sample = 0;
  let run = 0;
  for (let chunk = 1; chunk <= count; chunk++) {
    while ((runs[run + 1]?.firstChunk ?? Infinity) <= chunk) run++;
    const samples = runs[run]?.samplesPerChunk ?? 0;
    // The sender chose this number; no real track of metadata has so many samples.
    if (sample + samples > MAX_SAMPLES) throw new RangeError("too many samples");
    let length = 0;
    for (let left = samples; left > 0; left--) length += sizeOf(sample++);
    patches.push(erase(table.read(offsetBytes), length));
  }
  return patches;
}
