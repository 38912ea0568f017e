/** Removes location and other metadata from a file that is stored in R2 and may be too large for memory. */
import type { ByteSource } from "./byte-source.ts";
import { createPatchStream } from "./patch.ts";
import { findMetadata } from "./strip-metadata.ts";

/** Bytes of one read from R2: few calls for a large file, and little memory. */
const WINDOW_BYTES = 4 * 1024 * 1024;

/** Reads an R2 object in windows. Throws when R2 fails or the object disappears. */
function readFromR2(bucket: R2Bucket, { key, size }: R2Object): ByteSource {
  let window = new Uint8Array();
  let start = 0;
  return {
    size,
    read: async (at, length) => {
      const end = Math.min(at + length, size);
      if (at >= end) return new Uint8Array();
      if (at < start || end > start + window.length) {
        const range = { offset: at, length: Math.min(Math.max(length, WINDOW_BYTES), size - at) };
        const object = await bucket.get(key, { range });
        if (!object) throw new Error("the stored object disappeared while it was read");
        window = new Uint8Array(await object.arrayBuffer());
        start = at;
      }
      return window.subarray(at - start, end - start);
    },
  };
}

/**
 * Replaces a stored file by one without metadata, under the same key. Nothing may refer to the key before. Idempotent;
 * throws when R2 fails.
 */
export async function stripStoredMetadata(bucket: R2Bucket, stored: R2Object): Promise<void> {
  const patches = await findMetadata(readFromR2(bucket, stored));
  if (patches.length === 0) return;
  const original = await bucket.get(stored.key);
  if (!original) throw new Error("the stored object disappeared while its metadata was removed");
  const { readable, writable } = new FixedLengthStream(original.size);
  const copied = original.body.pipeThrough(createPatchStream(patches)).pipeTo(writable);
  const { httpMetadata } = original;
  await Promise.all([
    bucket.put(stored.key, readable, httpMetadata ? { httpMetadata } : {}),
    copied,
  ]);
}
