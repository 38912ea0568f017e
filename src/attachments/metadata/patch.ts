/** Changes to a file that keep its length, so that no offset inside the file moves. */

export interface Patch {
  /** Offset in the file. */
  at: number;
  /** Bytes that are overwritten: with `bytes`, then with `fill`. */
  length: number;
  bytes?: Uint8Array;
  /** Bytes that are repeated; zeros where it is missing. */
  fill?: Uint8Array;
}

/** Overwrites a range with zeros. */
export const erase = (at: number, length: number): Patch => ({ at, length });

export const overwrite = (at: number, bytes: Uint8Array, length = bytes.length): Patch => ({
  at,
  bytes,
  length,
});

/**
 * Sorts the patches and removes overlaps, so that applying them takes linear time for every file: the later patch
 * begins where the earlier one ends.
 */
export function arrangePatches(patches: readonly Patch[]): Patch[] {
  const arranged: Patch[] = [];
  let end = 0;
  for (const patch of patches.toSorted((a, b) => a.at - b.at)) {
    const skipped = Math.max(end - patch.at, 0);
    if (patch.length <= skipped) continue;
    arranged.push(skipped === 0 ? patch : skipBytes(patch, skipped));
    end = patch.at + patch.length;
  }
  return arranged;
}

const skipBytes = ({ at, length, bytes }: Patch, skipped: number): Patch => ({
  at: at + skipped,
  length: length - skipped,
  ...(bytes ? { bytes: bytes.subarray(skipped) } : {}),
});

/** Applies the part of a patch that overlaps with a chunk, in place. @param start offset of the chunk in the file */
function patchChunk(chunk: Uint8Array, start: number, { at, length, bytes, fill }: Patch): void {
  const from = Math.max(at - start, 0);
  const to = Math.min(at + length - start, chunk.length);
  if (from >= to) return;
  if (!fill || fill.length === 1) chunk.fill(fill?.[0] ?? 0, from, to);
  else
    for (let index = from; index < to; index++)
      chunk[index] = fill[(index + start - at) % fill.length]!;
  const replaced = bytes?.subarray(from + start - at, to + start - at);
  if (replaced) chunk.set(replaced, from);
}

/** Returns a patched copy of a file; the file itself if there is nothing to patch. */
export function applyPatches(file: Uint8Array, patches: readonly Patch[]): Uint8Array {
  if (patches.length === 0) return file;
  const copy = file.slice();
  for (const patch of patches) patchChunk(copy, 0, patch);
  return copy;
}

/** Patches a file while it streams through. @param patches as `arrangePatches` returns them */
export function createPatchStream(
  patches: readonly Patch[],
): TransformStream<Uint8Array, Uint8Array> {
  let next = 0;
  let start = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const copy = chunk.slice();
      const end = start + chunk.length;
      for (let patch = patches[next]; patch && patch.at < end; patch = patches[++next]) {
        patchChunk(copy, start, patch);
        if (patch.at + patch.length > end) break;
      }
      start = end;
      controller.enqueue(copy);
    },
  });
}
