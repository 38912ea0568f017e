/**
 * Stores the bytes of a source's message in R2, before the message refers to them. Keys begin with the household and the
 * day, so that the deletion of the household, the sum of stored bytes and the cleanup of unreferenced bytes include them.
 */
import type { SourceAttachment, StoredBytes } from "../contracts/sources.ts";
import { SOURCE_LIMITS } from "../mess/sources/vocabulary.ts";
import { createBlobKey, deleteBlobs } from "./blob-store.ts";
import { SNIFF_BYTES, sniffMime } from "./sniff-mime.ts";

export interface MessageBytes {
  attachments: { name: string; mime: string; bytes: Uint8Array }[];
  raw?: { mime: string; bytes: Uint8Array };
}

type WithStoredBytes<T extends MessageBytes> = Omit<T, "attachments" | "raw"> & {
  attachments: SourceAttachment[];
  raw?: StoredBytes;
};

/** Objects that are written at the same time. */
const MAX_PARALLEL_PUTS = 6;

/** Stores the bytes of one message. Throws when R2 fails, and leaves no object behind then. */
export async function storeMessageBytes<T extends MessageBytes>(
  bucket: R2Bucket,
  household: string,
  message: T,
): Promise<WithStoredBytes<T>> {
  const { attachments, raw, ...rest } = message;
  const kept = attachments.slice(0, SOURCE_LIMITS.attachments);
  const bytes = [...(raw ? [raw] : []), ...kept].map(({ mime, bytes }) => ({ mime, bytes }));
  const stored: StoredBytes[] = [];
  const keys = bytes.map(() => createBlobKey(household, crypto.randomUUID()));
  try {
    for (let at = 0; at < bytes.length; at += MAX_PARALLEL_PUTS)
      stored.push(
        ...(await Promise.all(
          bytes
            .slice(at, at + MAX_PARALLEL_PUTS)
            .map((file, index) => putFile(bucket, keys[at + index]!, file)),
        )),
      );
  } catch (error) {
    await deleteBlobs(bucket, keys).catch(() => undefined);
    throw error;
  }
  const files = raw ? stored.slice(1) : stored;
  return {
    ...rest,
    attachments: kept.map(({ name }, index) => ({ name, ...files[index]! })),
    ...(raw ? { raw: stored[0]! } : {}),
  };
}

/** The type is that of the first bytes, so that a file cannot be shown as something that it is not. */
async function putFile(
  bucket: R2Bucket,
  key: string,
  { mime: declared, bytes }: { mime: string; bytes: Uint8Array },
): Promise<StoredBytes> {
  const mime = sniffMime(bytes.subarray(0, SNIFF_BYTES), declared);
  await bucket.put(key, bytes, { httpMetadata: { contentType: mime } });
  return { key, size: bytes.byteLength, mime };
}

/** Keys of a message that was not stored. */
export const deleteMessageBytes = (
  bucket: R2Bucket,
  { raw, attachments }: { raw?: StoredBytes; attachments: readonly SourceAttachment[] },
): Promise<void> =>
  deleteBlobs(bucket, [...(raw ? [raw.key] : []), ...attachments.map(({ key }) => key)]);
