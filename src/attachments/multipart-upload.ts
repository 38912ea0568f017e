/** Uploads a file in parts with R2's multipart API: parts of equal size, the last one may be smaller. */
import { createBlobKey } from "./blob-store.ts";
import { stripStoredMetadata } from "./metadata/strip-stored.ts";
import { sniffMime } from "./sniff-mime.ts";

/** R2's minimum size of every part but the last. */
export const MIN_PART_BYTES = 5 * 1024 * 1024;
/** Largest part, which is buffered in memory. */
export const MAX_PART_BYTES = 16 * 1024 * 1024;

/** Where the parts of a file are stored. */
export interface MultipartTarget {
  /** Key of the final object. */
  key: string;
  /** R2's id of the multipart upload. */
  multipart: string;
}

/** Begins an upload with the first part, whose bytes determine the MIME type under which the file is served. */
export async function beginMultipart(
  bucket: R2Bucket,
  household: string,
  first: Uint8Array,
  declared: string,
): Promise<MultipartTarget & { mime: string }> {
  const mime = sniffMime(first, declared);
  const key = createBlobKey(household, crypto.randomUUID());
  const { uploadId } = await bucket.createMultipartUpload(key, {
    httpMetadata: { contentType: mime },
  });
  return { key, multipart: uploadId, mime };
}

/** Stores one part, numbered from 1, and returns its etag. */
export async function uploadPart(
  bucket: R2Bucket,
  { key, multipart }: MultipartTarget,
  number: number,
  bytes: Uint8Array,
): Promise<string> {
  const { etag } = await bucket.resumeMultipartUpload(key, multipart).uploadPart(number, bytes);
  return etag;
}

/** Aborts the upload and discards its parts; does nothing where there are none. */
export async function abortMultipart(
  bucket: R2Bucket,
  { key, multipart }: MultipartTarget,
): Promise<void> {
  await bucket
    .resumeMultipartUpload(key, multipart)
    .abort()
    .catch(() => undefined);
}

/**
 * Completes the upload and returns the object's size; undefined where R2 no longer has the parts. Idempotent: a
 * second call finds the completed object.
 */
export async function completeMultipart(
  bucket: R2Bucket,
  { key, multipart }: MultipartTarget,
  uploadedParts: readonly { number: number; etag: string }[],
  keepMetadata: boolean,
): Promise<number | undefined> {
  const parts = uploadedParts.map(({ number, etag }) => ({ partNumber: number, etag }));
  const object =
    (await bucket
      .resumeMultipartUpload(key, multipart)
      .complete(parts)
      .catch(() => undefined)) ?? (await bucket.head(key));
  if (object && !keepMetadata) await stripStoredMetadata(bucket, object);
  return object?.size;
}
