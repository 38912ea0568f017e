/** A file that comes in pieces, as a multipart upload of R2: pieces alike in size, the last one smaller. */
import { createBlobKey, isStrippablePhoto } from "./blob-store.ts";
import { stripLocation } from "./strip-location.ts";
import { sniffMime } from "./sniff-mime.ts";

/** What R2 takes as a piece that is not the last. Bytes. */
export const MIN_PART_BYTES = 5 * 1024 * 1024;
/** What is held in memory of one call. Bytes. */
export const MAX_PART_BYTES = 16 * 1024 * 1024;

/** Where the pieces of a file lie. */
export interface MultipartTarget {
  /** Key of the object to be. */
  key: string;
  /** R2's id of the multipart upload. */
  multipart: string;
}

/** Begins with the first piece, whose bytes tell the type under which the file will be served. */
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

/** Stores one piece, counted from 1, and returns R2's name for its content. */
export async function uploadPart(
  bucket: R2Bucket,
  { key, multipart }: MultipartTarget,
  number: number,
  bytes: Uint8Array,
): Promise<string> {
  const { etag } = await bucket.resumeMultipartUpload(key, multipart).uploadPart(number, bytes);
  return etag;
}

/** Lets go of what was stored of it; nothing is wrong where nothing was. */
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
 * Makes one object of the pieces, and returns its size; undefined where R2 no longer has them. A second time it finds
 * the object that the first has made.
 */
export async function completeMultipart(
  bucket: R2Bucket,
  { key, multipart }: MultipartTarget,
  uploadedParts: readonly { number: number; etag: string }[],
  strip: boolean,
): Promise<number | undefined> {
  const parts = uploadedParts.map(({ number, etag }) => ({ partNumber: number, etag }));
  const object =
    (await bucket
      .resumeMultipartUpload(key, multipart)
      .complete(parts)
      .catch(() => undefined)) ?? (await bucket.head(key));
  if (!object) return undefined;
  const mime = (await bucket.head(key))?.httpMetadata?.contentType ?? "";
  if (!strip || !isStrippablePhoto(mime, object.size)) return object.size;
  const photo = await bucket.get(key);
  if (!photo) return undefined;
  const bytes = stripLocation(new Uint8Array(await photo.arrayBuffer()));
  await bucket.put(key, bytes, { httpMetadata: { contentType: mime } });
  return bytes.length;
}
