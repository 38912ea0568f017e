/** Changes to a file that keep its length, so that no offset inside the file moves. */

export interface Patch {
  /** Offset in the file. */
  at: number;
  /** Bytes that are overwritten: with `bytes`, then with zeros. */
  length: number;
  bytes?: Uint8Array;
}

/** Overwrites a range with zeros. */
export const erase = (at: number, length: number): Patch => ({ at, length });

export const overwrite = (at: number, bytes: Uint8Array, length = bytes.length): Patch => ({
  at,
  bytes,
  length,
});

/** Applies the parts of the patches that overlap with a chunk, in place. @param start offset of the chunk in the file */
function patchChunk(chunk: Uint8Array, start: number, patches: readonly Patch[]): void {
  for (const { at, length, bytes } of patches) {
    const from = Math.max(at - start, 0);
    const to = Math.min(at + length - start, chunk.length);
    if (from >= to) continue;
    chunk.fill(0, from, to);
    const replaced = bytes?.subarray(from + start - at, to + start - at);
    if (replaced) chunk.set(replaced, from);
  }
}

/** Returns a patched copy of a file; the file itself if there is nothing to patch. */
export function applyPatches(file: Uint8Array, patches: readonly Patch[]): Uint8Array {
  if (patches.length === 0) return file;
  const copy = file.slice();
  patchChunk(copy, 0, patches);
  return copy;
}

/** Patches a file while it streams through. */
export function createPatchStream(
  patches: readonly Patch[],
): TransformStream<Uint8Array, Uint8Array> {
  const pending = patches.toSorted((a, b) => a.at - b.at);
  let start = 0;
  return new TransformStream({
    transform(chunk, controller) {
      while (pending[0] && pending[0].at + pending[0].length <= start) pending.shift();
      const next = pending.findIndex(({ at }) => at >= start + chunk.length);
      const copy = chunk.slice();
      patchChunk(copy, start, next < 0 ? pending : pending.slice(0, next));
      start += chunk.length;
      controller.enqueue(copy);
    },
  });
}
