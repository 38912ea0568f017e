/**
 * Files that were sent by an upload link before any thread exists. A small object beside the file's bytes says whose it
 * is; both are deleted with the other unreferenced files, unless a message has named the file by then.
 */
import { defined } from "../mess/defined.ts";
import * as z from "zod";
import type { StagedBlob } from "../contracts/thread-uploads.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { boundedTextSchema } from "../mess/lengths.ts";
import { LIMITS } from "../mess/limits.ts";
import { findUploadDay } from "../mess/names.ts";
import { ok } from "../mess/result.ts";
import { type BlobMeta, createBlobKey, deleteBlobs, storeBlob } from "./blob-store.ts";

/** A file is usable for a day, as other uploads are. */
const RETENTION_MS = 24 * 3_600_000;

const recordSchema = z.object({
  actor: boundedTextSchema(LIMITS.actorIdChars),
  key: boundedTextSchema(LIMITS.resourceChars),
  kind: z.enum(["image", "audio", "video", "file"]),
  mime: boundedTextSchema(LIMITS.mimeTypeChars),
  size: z.number(),
  original: boundedTextSchema(LIMITS.resourceChars).optional(),
});

/** Names a new upload. Its day is part of the id, since keys begin with the day on which the cleanup finds them. */
export const createUploadId = (): string =>
  `upload-${new Date().toISOString().slice(0, 10)}-${crypto.randomUUID()}`;

/** The address under which the file can be named in a message. */
export const buildUploadUri = (id: string): string => `content://${id}/file`;

function buildRecordKey(household: string, id: string): string | undefined {
  const day = findUploadDay(id);
  return day && `${household}/${day}/${id}`;
}

/** Stores the file; refused where the link was used before, so that nobody can change a file that was seen. */
export async function storeLinkedUpload(
  bucket: R2Bucket,
  { household, actor }: { household: string; actor: string },
  id: string,
  body: ReadableStream<Uint8Array>,
  meta: BlobMeta,
): Promise<Outcome<StagedBlob>> {
  const recordKey = buildRecordKey(household, id);
  if (!recordKey || (await bucket.head(recordKey))) return refuseUsed();
  const stored = await storeBlob(bucket, household, body, meta);
  if (!stored.ok) return stored;
  const { token: _token, ...blob } = stored.value;
  const record = await bucket.put(recordKey, JSON.stringify({ actor, ...blob }), {
    onlyIf: new Headers({ "If-None-Match": "*" }),
  });
  if (record) return ok({ ...stored.value, token: id });
  await deleteBlobs(bucket, [blob.key]);
  return refuseUsed();
}

const refuseUsed = (): Outcome<never> =>
  refuse(
    "already_exists",
    "a file was sent with this link before",
    "Ask for a new link to send another file.",
  );

/** Finds the file of an upload link that the member made. */
export async function findLinkedUpload(
  bucket: R2Bucket,
  { household, actor }: { household: string; actor: string },
  id: string,
): Promise<StagedBlob | undefined> {
  const key = buildRecordKey(household, id);
  const object = key === undefined ? null : await bucket.get(key);
  if (!object || object.uploaded.getTime() < Date.now() - RETENTION_MS) return undefined;
  const { actor: maker, original, ...blob } = recordSchema.parse(await object.json());
  if (maker !== actor) return undefined;
  return { ...blob, token: id, ...defined({ original }) };
}

/**
 * Copies the file for one thread, since the deletion of a thread deletes its bytes. Undefined where the bytes are
 * gone.
 */
export async function copyLinkedUpload(
  bucket: R2Bucket,
  household: string,
  blob: StagedBlob,
): Promise<StagedBlob | undefined> {
  const object = await bucket.get(blob.key);
  if (!object) return undefined;
  const key = createBlobKey(household, crypto.randomUUID());
  const { readable, writable } = new FixedLengthStream(object.size);
  await Promise.all([
    object.body.pipeTo(writable),
    bucket.put(key, readable, { httpMetadata: { contentType: blob.mime } }),
  ]);
  return { ...blob, key };
}
