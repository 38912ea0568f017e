/** A file that comes in pieces, as a multipart upload of R2: pieces alike in size, the last one smaller. */
import { newKey, isPhoto } from "./blob-store.ts";
import { withoutLocation } from "./strip-location.ts";
import { sniffMime } from "./sniff-mime.ts";

/** What R2 takes as a piece that is not the last. Bytes. */
export const LEAST_PIECE = 5 * 1024 * 1024;
/** What is held in memory of one call. Bytes. */
export const LARGEST_PIECE = 16 * 1024 * 1024;

/** Where the pieces of a file lie. */
export interface Pieces {
  /** Key of the object to be. */
  key: string;
  /** R2's id of the multipart upload. */
  multipart: string;
}

/** Begins with the first piece, whose bytes tell the type under which the file will be served. */
export async function beginPieces(
  bucket: R2Bucket,
  household: string,
  first: Uint8Array,
  declared: string,
): Promise<Pieces & { mime: string }> {
  const mime = sniffMime(first, declared);
  const key = newKey(household, crypto.randomUUID());
  const { uploadId } = await bucket.createMultipartUpload(key, {
    httpMetadata: { contentType: mime },
  });
  return { key, multipart: uploadId, mime };
}

/** Stores one piece, counted from 1, and returns R2's name for its content. */
export async function storePiece(
  bucket: R2Bucket,
  { key, multipart }: Pieces,
  number: number,
  bytes: Uint8Array,
): Promise<string> {
  const { etag } = await bucket.resumeMultipartUpload(key, multipart).uploadPart(number, bytes);
  return etag;
}

/** Lets go of what was stored of it; nothing is wrong where nothing was. */
export async function dropPieces(bucket: R2Bucket, { key, multipart }: Pieces): Promise<void> {
  await bucket
    .resumeMultipartUpload(key, multipart)
    .abort()
    .catch(() => undefined);
}

/**
 * Makes one object of the pieces, and returns its size; undefined where R2 no longer has them. A second time it finds
 * the object that the first has made.
 */
export async function joinPieces(
  bucket: R2Bucket,
  { key, multipart }: Pieces,
  pieces: readonly { number: number; etag: string }[],
  hidePlace: boolean,
): Promise<number | undefined> {
  const parts = pieces.map(({ number, etag }) => ({ partNumber: number, etag }));
  const object =
    (await bucket
      .resumeMultipartUpload(key, multipart)
      .complete(parts)
      .catch(() => undefined)) ?? (await bucket.head(key));
  if (!object) return undefined;
  const mime = (await bucket.head(key))?.httpMetadata?.contentType ?? "";
  if (!hidePlace || !isPhoto(mime, object.size)) return object.size;
  const photo = await bucket.get(key);
  if (!photo) return undefined;
  const bytes = withoutLocation(new Uint8Array(await photo.arrayBuffer()));
  await bucket.put(key, bytes, { httpMetadata: { contentType: mime } });
  return bytes.length;
}
