/** `/mess/{ref}/uploads`: upload of a large file in parts, which can resume after a broken connection. */
import { buildThreadCallKey } from "../../../../auth/call-key.ts";
import { defined } from "../../../../mess/defined.ts";
import * as z from "zod";
import {
  beginMultipart,
  abortMultipart,
  completeMultipart,
  MAX_PART_BYTES,
  MIN_PART_BYTES,
  uploadPart,
} from "../../../../attachments/multipart-upload.ts";
import { deleteBlobs, storeBlob, refuseTooLarge } from "../../../../attachments/blob-store.ts";
import { releaseFiles, reserveFiles } from "../../../../exchange/files/reserve-files.ts";
import { withThread, type ResolvedThread } from "../../../../exchange/with-thread.ts";
import { type MessError, type Outcome, refuse } from "../../../../mess/errors.ts";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { MAX_FILE_NAME_CHARACTERS } from "../../../../mess/file-names.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { getAttachmentKind } from "../../../../mess/refs.ts";
import { fail, ok } from "../../../../mess/result.ts";
import type {
  StagedBlob,
  StoredPart,
  MultipartUpload,
} from "../../../../contracts/thread-uploads.ts";
import { buildRefusal } from "../../response.ts";
import { checkMayAttach, deriveUploadId, buildUploadResponse } from "./attachments.ts";
import { readBytes, readObject, TEXT_TYPES } from "../../request-body.ts";
import { sessionQuerySchema } from "../../parameters.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  type HttpRoute,
} from "../../route.ts";

const uploadBodySchema = z.strictObject({
  name: boundedTextSchema(MAX_FILE_NAME_CHARACTERS).min(1).exactOptional(),
  mime: boundedTextSchema(LIMITS.mimeTypeChars).default("application/octet-stream"),
  /** Bytes. */
  size: z.int().min(1),
  keep_location: z.boolean().default(false),
});

const OFFSET_HEADER = "Upload-Offset";

/** The progress of the transfer, and the file's token when it is complete. */
function buildProgressResponse({ id, offset, size }: MultipartUpload, status: 200 | 201 = 200) {
  const headers = { [OFFSET_HEADER]: String(offset), "Upload-Length": String(size) };
  return ok({ status, body: { upload: id, offset, size, piece: MIN_PART_BYTES }, headers });
}

async function beginUpload(call: HttpCall): HandlerPromise {
  const { env, principal, request } = call;
  return await withThread(env, principal, call.param("ref"), undefined, async ({ stub, ref }) => {
    const may = await stub.checkUpload(principal);
    if (!may.ok) return may;
    const error = checkMayAttach(principal);
    if (error) return fail(error);
    const body = await readObject(request, uploadBodySchema);
    if (!body.ok) return body;
    const { name, mime, size, keep_location } = body.value;
    if (size > LIMITS.uploadBytes) return refuseTooLarge();
    const repeatedId = await deriveUploadId(call, ref);
    const known = repeatedId !== undefined && (await stub.findUpload(principal, repeatedId)).ok;
    const reserved = known ? ok(true) : await reserveFiles(env, principal, [size]);
    if (!reserved.ok) return reserved;
    const begun = await stub.beginUpload(principal, {
      id: repeatedId ?? crypto.randomUUID(),
      actor: principal.actor,
      declared: mime,
      size,
      keepMetadata: keep_location,
      ...defined({ original: name, call: buildThreadCallKey(call) }),
    });
    if (!begun.ok && !known) await releaseFiles(env, principal, [size]);
    return begun.ok ? buildProgressResponse(begun.value, 201) : begun;
  });
}

/** Runs `work` on the caller's transfer that the path names. */
const withUpload = (
  call: HttpCall,
  work: (thread: ResolvedThread, upload: MultipartUpload) => HandlerPromise,
): HandlerPromise =>
  withThread(call.env, call.principal, call.param("ref"), undefined, async (thread) => {
    const upload = await thread.stub.findUpload(call.principal, call.param("id"));
    return upload.ok ? await work(thread, upload.value) : upload;
  });

const showUpload = (call: HttpCall): HandlerPromise =>
  withUpload(call, async (_reached, upload) => buildProgressResponse(upload));

/** A refusal with the offset that the transfer has reached. */
function buildConflictResponse({ request }: HttpCall, offset: number): Outcome<Response> {
  const error: MessError = {
    code: "offset_conflict",
    message: `the exchange has ${offset} bytes of this file`,
    hint: `Continue from there, with the header ${OFFSET_HEADER}: ${offset}.`,
  };
  return ok(buildRefusal(request, error, { [OFFSET_HEADER]: String(offset) }));
}

const addPart = (call: HttpCall): HandlerPromise =>
  withUpload(call, async (thread, upload) => {
    const given = call.request.headers.get(OFFSET_HEADER) ?? "";
    const { offset, size } = upload;
    if (given !== String(offset)) return buildConflictResponse(call, offset);
    const bytes = await readBytes(call.request, MAX_PART_BYTES);
    if (!bytes.ok) return bytes;
    const error = checkPart(upload, bytes.value.length);
    if (error) return fail(error);
    if (bytes.value.length === size) return await storeWhole(call, thread, upload, bytes.value);
    if (offset === size) return await finishUpload(call, thread, upload);
    const stored = await storePart(call, upload, bytes.value);
    const moved = await thread.stub.recordPart(call.principal, upload.id, stored);
    if (!moved.ok) {
      if (upload.multipart === undefined) await abortMultipart(call.env.BLOBS, stored);
      return moved;
    }
    return moved.value.offset === size
      ? await finishUpload(call, thread, moved.value)
      : buildProgressResponse(moved.value);
  });

/** Returns the reason if R2 would not accept a part of this length at this offset. */
function checkPart(
  { offset, size, piece: partBytes }: MultipartUpload,
  length: number,
): MessError | undefined {
  const end = offset + length;
  if (end === size) return undefined;
  if (end < size && length >= MIN_PART_BYTES && length === (partBytes ?? length)) return undefined;
  return {
    code: "bad_attachment",
    message: `a part of ${length} bytes at ${offset} does not fit into a file of ${size}`,
    hint: `Send parts of ${partBytes ?? MIN_PART_BYTES} bytes; the last one has the remaining bytes.`,
  };
}

async function storePart(
  call: HttpCall,
  upload: MultipartUpload,
  bytes: Uint8Array,
): Promise<StoredPart> {
  const { BLOBS } = call.env;
  const { offset, key, multipart, mime, declared, pieces } = upload;
  const target =
    key === undefined || multipart === undefined || mime === undefined
      ? await beginMultipart(BLOBS, call.principal.household, bytes, declared)
      : { key, multipart, mime };
  const number = pieces.length + 1;
  const etag = await uploadPart(BLOBS, target, number, bytes);
  return { from: offset, length: bytes.length, number, etag, ...target };
}

async function storeWhole(
  call: HttpCall,
  thread: ResolvedThread,
  upload: MultipartUpload,
  bytes: Uint8Array,
): HandlerPromise {
  const { declared, original, keepMetadata = false } = upload;
  const about = {
    mime: declared,
    keepMetadata,
    ...defined({ original }),
  };
  const stored = await storeBlob(call.env.BLOBS, call.principal.household, bytes, about);
  return stored.ok ? await stageFinished(call, thread, upload, stored.value) : stored;
}

/** Completes the file when all parts are stored. Repeating it after a broken call has the same result. */
async function finishUpload(
  call: HttpCall,
  thread: ResolvedThread,
  upload: MultipartUpload,
): HandlerPromise {
  const { BLOBS } = call.env;
  const { key, multipart, mime = "", pieces, keepMetadata = false, original } = upload;
  const { stub } = thread;
  const done = await findFinished(call, thread, upload);
  if (done) return done;
  const target = key === undefined || multipart === undefined ? undefined : { key, multipart };
  const size = target && (await completeMultipart(BLOBS, target, pieces, keepMetadata));
  if (target === undefined || size === undefined) {
    await stub.abortUpload(call.principal, upload.id);
    await releaseFiles(call.env, call.principal, [upload.size]);
    return refuse("bad_attachment", "the parts are no longer stored", "Start a new upload.");
  }
  const kind = getAttachmentKind(mime);
  const about = original === undefined ? {} : { original };
  return await stageFinished(call, thread, upload, {
    token: "",
    key: target.key,
    kind,
    mime,
    size,
    ...about,
  });
}

async function findFinished(
  { principal }: HttpCall,
  { stub }: ResolvedThread,
  { id, token }: MultipartUpload,
): Promise<Outcome<ReturnType<typeof buildUploadResponse>> | undefined> {
  if (token === undefined) return undefined;
  const ended = await stub.finishUpload(principal, id);
  return ended.ok ? ok(buildUploadResponse(ended.value, 200)) : ended;
}

/** Records the file in the thread until a message names it. */
async function stageFinished(
  call: HttpCall,
  { stub }: ResolvedThread,
  { id }: MultipartUpload,
  stored: StagedBlob,
): HandlerPromise {
  const blob = { ...stored, token: `upload-${id}` };
  const ended = await stub.finishUpload(call.principal, id, blob);
  if (!ended.ok || ended.value.key !== blob.key) await deleteBlobs(call.env.BLOBS, [blob.key]);
  return ended.ok ? ok(buildUploadResponse(ended.value, 200)) : ended;
}

export const uploadRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "post",
    path: "/mess/{ref}/uploads",
    access: "visitor",
    summary: "Start the upload of a file in parts",
    description:
      "Returns {upload, offset, piece}: send parts of `piece` bytes with PATCH; the last one has the remaining bytes. An upload that is not completed within a day is deleted.",
    query: sessionQuerySchema,
    body: { description: "{name, mime, size}", types: TEXT_TYPES, schema: uploadBodySchema },
    status: 201,
    handle: beginUpload,
  }),
  defineMemberRoute({
    method: "get",
    path: "/mess/{ref}/uploads/{id}",
    access: "visitor",
    summary: "The progress of an upload; HEAD returns it in Upload-Offset",
    query: sessionQuerySchema,
    handle: showUpload,
  }),
  defineMemberRoute({
    method: "patch",
    path: "/mess/{ref}/uploads/{id}",
    access: "visitor",
    summary: "The next part of an upload, at Upload-Offset",
    description:
      "The last part returns {file, name, mime, size}, like an upload in one call. An empty part at the end returns the same response again.",
    query: sessionQuerySchema,
    body: { description: "The part's bytes", types: ["application/octet-stream", "*/*"] },
    handle: addPart,
  }),
];
