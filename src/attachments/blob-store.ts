/** Stores files in R2 before a message refers to them. Refused or interrupted uploads leave no object behind. */
import { defined } from "../mess/defined.ts";
import { decodeBase64 } from "../bytes.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { cutFileName } from "../mess/file-names.ts";
import { LIMITS } from "../mess/limits.ts";
import { getAttachmentKind } from "../mess/refs.ts";
import { ok } from "../mess/result.ts";
import type { StagedBlob } from "../contracts/thread-uploads.ts";
import { stripMetadata } from "./metadata/strip-metadata.ts";
import { stripStoredMetadata } from "./metadata/strip-stored.ts";
import { readExactly, readHead, copyExactly } from "./sized-stream.ts";
import { SNIFF_BYTES, sniffMime } from "./sniff-mime.ts";

/** The sender's description of a file. */
export interface BlobMeta {
  mime: string;
  /** Bytes. Required for a stream, since R2 accepts only streams of known length. */
  size?: number;
  original?: string;
  /** Keep the location and other metadata of a photo or video, which are removed otherwise. */
  keepMetadata?: boolean;
}

/** Largest file that is buffered in memory. Larger ones are stored first, then replaced if they have metadata. */
const MAX_BUFFERED_BYTES = 10 * 1024 * 1024;

/** R2's limit of keys in one delete call. */
const MAX_KEYS_PER_DELETE = 1_000;

/** Builds `{household}/{UTC day of storing}/{uuid}`: unguessable, and listed by day for the cleanup. */
export const createBlobKey = (household: string, id: string): string =>
  `${household}/${new Date().toISOString().slice(0, 10)}/${id}`;

/**
 * Stores a file under a new key. Its MIME type is that of its first bytes (`sniffMime`).
 *
 * Refuses with `length_required` (a stream without size), `too_large`, and `bad_attachment` where a stream is
 * interrupted or has another length than declared. Throws when R2 fails.
 */
export async function storeBlob(
  bucket: R2Bucket,
  household: string,
  body: ReadableStream<Uint8Array> | ArrayBuffer | Uint8Array,
  { mime: declared, size: declaredSize, original, keepMetadata = false }: BlobMeta,
): Promise<Outcome<StagedBlob>> {
  const length = body instanceof ReadableStream ? declaredSize : body.byteLength;
  if (length === undefined || !Number.isSafeInteger(length) || length < 0)
    return refuse(
      "length_required",
      "the file's length is unknown",
      "Send a Content-Length header.",
    );
  if (length > LIMITS.uploadBytes) return refuseTooLarge();
  const id = crypto.randomUUID();
  const key = createBlobKey(household, id);
  const stored =
    body instanceof ReadableStream
      ? await putStream(bucket, key, body, length, declared, keepMetadata)
      : ok(await putBytes(bucket, key, new Uint8Array(body), declared, keepMetadata));
  if (!stored.ok) return stored;
  const { mime, size } = stored.value;
  return ok({
    token: `upload-${id}`,
    key,
    kind: getAttachmentKind(mime),
    mime,
    size,
    ...(original === undefined ? {} : { original: cutFileName(original) }),
  });
}

/**
 * Stores the bytes of a data URI (decision 60) under the token that the message uses for them. Refuses invalid
 * base64 with `bad_attachment`.
 */
export async function storeBase64(
  bucket: R2Bucket,
  household: string,
  inline: { token: string; mime: string; base64: string; original?: string },
): Promise<Outcome<StagedBlob>> {
  const { token, mime, base64, original } = inline;
  const bytes = decodeBase64(base64);
  if (!bytes)
    return refuse(
      "bad_attachment",
      "the data is not base64",
      "Encode the file's bytes as standard base64.",
    );
  const meta = { mime, ...defined({ original }) };
  const stored = await storeBlob(bucket, household, bytes, meta);
  return stored.ok ? ok({ ...stored.value, token }) : stored;
}

/** Deletes objects by key; missing objects are ignored. */
export async function deleteBlobs(bucket: R2Bucket, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += MAX_KEYS_PER_DELETE)
    await bucket.delete(keys.slice(at, at + MAX_KEYS_PER_DELETE));
}

/** The type and size of a stored object. */
interface StoredBytes {
  mime: string;
  size: number;
}

async function putBytes(
  bucket: R2Bucket,
  key: string,
  source: Uint8Array,
  declared: string,
  keepMetadata: boolean,
): Promise<StoredBytes> {
  const mime = sniffMime(source, declared);
  const bytes = keepMetadata ? source : await stripMetadata(source);
  await bucket.put(key, bytes, { httpMetadata: { contentType: mime } });
  return { mime, size: bytes.length };
}

async function putStream(
  bucket: R2Bucket,
  key: string,
  body: ReadableStream<Uint8Array>,
  size: number,
  declared: string,
  keepMetadata: boolean,
): Promise<Outcome<StoredBytes>> {
  const reader = body.getReader();
  const start = await readHead(reader, SNIFF_BYTES);
  const mime = sniffMime(start.head, declared);
  if (!keepMetadata && size <= MAX_BUFFERED_BYTES) {
    const file = await readExactly(start, reader, size);
    return file ? ok(await putBytes(bucket, key, file, declared, false)) : refuseIncomplete();
  }
  const { readable, writable } = new FixedLengthStream(size);
  const writer = writable.getWriter();
  const putting = bucket.put(key, readable, { httpMetadata: { contentType: mime } });
  // Without the abort, a put that fails early would leave the writer waiting forever.
  const upload = putting.catch(async (error: unknown) => {
    await writer.abort(error).catch(() => undefined);
    throw error;
  });
  const [stored, copied] = await Promise.allSettled([
    upload,
    copyExactly(start, reader, writer, size),
  ]);
  const isComplete = copied.status === "fulfilled" && copied.value;
  if (isComplete && stored.status === "fulfilled") {
    if (!keepMetadata) await stripStoredMetadata(bucket, stored.value);
    return ok({ mime, size });
  }
  await bucket.delete(key);
  if (isComplete && stored.status === "rejected") throw stored.reason;
  if (copied.status === "rejected") throw copied.reason;
  return refuseIncomplete();
}

export const refuseTooLarge = (): Outcome<never> =>
  refuse(
    "too_large",
    `the file is larger than ${LIMITS.uploadBytes} bytes`,
    "Publish the file at a URL, and send the URL instead.",
  );

const refuseIncomplete = (): Outcome<never> =>
  refuse(
    "bad_attachment",
    "the upload was interrupted, or its length differs from the declared one",
    "Send the whole file again with its exact Content-Length.",
  );
