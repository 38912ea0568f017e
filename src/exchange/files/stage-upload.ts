/** Stores a file of a thread before a message refers to it. */
import { type BlobMeta, deleteBlobs, storeBlob } from "../../attachments/blob-store.ts";
import { storeLinkedUpload } from "../../attachments/linked-uploads.ts";
import type { UploadLink } from "../../auth/links/upload-links.ts";
import type { Principal } from "../../auth/principal.ts";
import { defined } from "../../mess/defined.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ok } from "../../mess/result.ts";
import { releaseFiles, reserveFiles } from "./reserve-files.ts";
import type { ThreadRpc } from "../../contracts/thread.ts";
import type { StagedBlob } from "../../contracts/thread-uploads.ts";

export interface FileToStage {
  body: ReadableStream<Uint8Array> | Uint8Array;
  mime: string;
  /** Bytes, if the sender stated them. */
  size?: number;
  original?: string;
  /** Keep the location and other metadata of a photo or video, which are removed otherwise. */
  keepMetadata?: boolean;
  /** The call's key, from `buildCallKey`. */
  call?: string;
  /** Idempotency id: a file sent again under the same id is stored once, as `upload-{id}`. */
  id?: string;
}

/**
 * Stores the bytes, then registers them in the thread; if the thread refuses, they are deleted. If the thread throws,
 * it may have committed: the bytes stay, and the cleanup deletes them if unreferenced. Refuses another file under
 * the same id with `idempotency_conflict`.
 */
export async function stageFile(
  env: Pick<Env, "BLOBS" | "HOUSEHOLDS">,
  principal: Principal,
  stub: Pick<ThreadRpc, "stageUpload" | "checkUpload">,
  { body, id, call, ...details }: FileToStage,
): Promise<Outcome<StagedBlob>> {
  const size = body instanceof ReadableStream ? details.size : body.byteLength;
  const sizes = size === undefined || size > LIMITS.uploadBytes ? [] : [size];
  const token = id === undefined ? undefined : `upload-${id}`;
  const reserved = await reserveFiles(env, principal, sizes);
  // A repeated file passes, whatever the quotas: it is deleted again.
  if (!reserved.ok && !(await isStaged(stub, principal, token))) return reserved;
  const reservedSizes = reserved.ok ? sizes : [];
  const stored = await storeBlob(env.BLOBS, principal.household, body, details);
  if (!stored.ok) {
    await releaseFiles(env, principal, reservedSizes);
    return stored;
  }
  const blob: StagedBlob = { ...stored.value, ...defined({ token }) };
  const staged = await stub.stageUpload(principal, { ...blob, ...defined({ call }) });
  const repeated = staged.ok && staged.value.key !== blob.key;
  const isSame = repeated && (await isSameBlob(env.BLOBS, staged.value, blob));
  if (!staged.ok || repeated) {
    await deleteBlobs(env.BLOBS, [blob.key]);
    await releaseFiles(env, principal, reservedSizes);
  }
  if (!staged.ok) return staged;
  if (repeated && !isSame)
    return refuse(
      "idempotency_conflict",
      "this Idempotency-Key was used for another file",
      "Use a different key for each file.",
    );
  return ok(staged.value);
}

/** Stores the file of an upload link, and counts it against the quotas of the member that made the link. */
export async function stageLinkedUpload(
  env: Pick<Env, "BLOBS" | "HOUSEHOLDS">,
  { principal, upload }: UploadLink,
  body: ReadableStream<Uint8Array>,
  meta: BlobMeta,
): Promise<Outcome<StagedBlob>> {
  const { size } = meta;
  const sizes = size === undefined || size > LIMITS.uploadBytes ? [] : [size];
  const reserved = await reserveFiles(env, principal, sizes);
  if (!reserved.ok) return reserved;
  const stored = await storeLinkedUpload(env.BLOBS, principal, upload, body, meta);
  if (!stored.ok) await releaseFiles(env, principal, sizes);
  return stored;
}

async function isStaged(
  stub: Pick<ThreadRpc, "checkUpload">,
  principal: Principal,
  token: string | undefined,
): Promise<boolean> {
  if (token === undefined) return false;
  const found = await stub.checkUpload(principal, token);
  return found.ok && found.value;
}

async function isSameBlob(bucket: R2Bucket, a: StagedBlob, b: StagedBlob): Promise<boolean> {
  if (a.size !== b.size || a.mime !== b.mime || a.original !== b.original) return false;
  const [one, other] = await Promise.all([bucket.head(a.key), bucket.head(b.key)]);
  return one !== null && one.etag === other?.etag;
}
