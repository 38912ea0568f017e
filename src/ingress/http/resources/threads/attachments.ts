/** A thread's files: stored as streams until a message names them, served as stored. */
import { toAuditSource } from "../../../../auth/audit-source.ts";
import { refuseUnauthenticated } from "../../../../auth/unauthenticated.ts";
import { buildThreadCallKey } from "../../../../auth/call-key.ts";
import { defined } from "../../../../mess/defined.ts";
import type * as z from "zod";
import { locateFile } from "../../../../attachments/file-store.ts";
import { serveAttachment } from "../../../../attachments/serve-attachment.ts";
import { hashSha256 } from "../../../../auth/hash.ts";
import {
  DOWNLOAD_LINK_MINUTES,
  type DownloadLink,
  readDownloadToken,
} from "../../../../auth/links/download-links.ts";
import { isStillLive } from "../../../../auth/live-credential.ts";
import { getConfig } from "../../../../config.ts";
import type { Principal } from "../../../../auth/principal.ts";
import { stageFile, type FileToStage } from "../../../../exchange/files/stage-upload.ts";
import { findFile, type FoundFile } from "../../../../exchange/files/find-file.ts";
import { withThread, type ResolvedThread } from "../../../../exchange/with-thread.ts";
import { type MessError, type Outcome, refuse } from "../../../../mess/errors.ts";
import { cutFileName } from "../../../../mess/file-names.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { fail, ok } from "../../../../mess/result.ts";
import type { StagedBlob } from "../../../../contracts/thread-uploads.ts";
import type { ResponseData } from "../../response.ts";
import { readMediaType } from "../../request-body.ts";
import { readFiles, readForm } from "../../multipart.ts";
import { sessionQuerySchema, uploadQuerySchema } from "../../parameters.ts";
import {
  type HttpCall,
  type HandlerPromise,
  defineMemberRoute,
  defineNoHouseholdRoute,
  type HttpRoute,
  type NoHouseholdCall,
} from "../../route.ts";

type UploadCall = HttpCall<z.output<typeof uploadQuerySchema>>;

type UploadedFile = Omit<FileToStage, "keepMetadata" | "id" | "call">;

async function handleUpload(call: UploadCall): HandlerPromise {
  const { env, principal } = call;
  return await withThread(env, principal, call.param("ref"), undefined, async (thread) => {
    const may = await thread.stub.checkUpload(principal);
    if (!may.ok) return may;
    const error = checkMayAttach(principal);
    if (error) return fail(error);
    const uploaded = await readUpload(call);
    return uploaded.ok ? await storeUpload(call, thread, uploaded.value) : uploaded;
  });
}

async function storeUpload(
  call: UploadCall,
  { stub, ref }: ResolvedThread,
  uploaded: UploadedFile,
): HandlerPromise {
  const { env, principal } = call;
  const id = await deriveUploadId(call, ref);
  const keepMetadata = call.query.keep_location;
  const file = { ...uploaded, keepMetadata, ...defined({ id, call: buildThreadCallKey(call) }) };
  const stagedFile = await stageFile(env, principal, stub, file);
  return stagedFile.ok ? ok(buildUploadResponse(stagedFile.value, 201)) : stagedFile;
}

/** The fields with which a message refers to the file. */
export function buildUploadResponse(
  { token, mime, size, original }: StagedBlob,
  status: 200 | 201,
): ResponseData {
  const name = original === undefined ? {} : { name: original };
  return { status, body: { file: token, ...name, mime, size } };
}

/** Refuses an upload by a link whose permissions allow no message that could name the file. */
export const checkMayAttach = ({ scope }: Principal): MessError | undefined =>
  scope && !scope.permissions.includes("respond")
    ? {
        code: "wrong_role",
        message: "this link does not allow responses",
        hint: "Ask for a link with that permission.",
        valid: scope.permissions,
      }
    : undefined;

/** The key that identifies the upload, so that a repeated call with the same key stores one file. */
export async function deriveUploadId(
  { key, principal }: Pick<HttpCall, "key" | "principal">,
  ref: string,
): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const digest = await hashSha256([principal.household, ref, principal.actor, key].join(" "));
  return digest.slice(0, 32);
}

/** The file as a stream: the raw body, or the only file of a small form. */
async function readUpload({ request, query }: UploadCall): Promise<Outcome<UploadedFile>> {
  if (readMediaType(request) === "multipart/form-data") {
    const form = await readForm(request);
    if (!form.ok) return form;
    const files = await readFiles(form.value);
    if (!files.ok) return files;
    const [file, ...others] = files.value;
    if (!file || others.length > 0)
      return refuse(
        "bad_multipart",
        "the form needs exactly one file",
        "Upload one file per call.",
      );
    const { name, ...uploaded } = file;
    return ok({ ...uploaded, original: query.name ?? name });
  }
  const length = request.headers.get("Content-Length");
  const size = length === null ? undefined : Number(length);
  if (size !== undefined && size > LIMITS.uploadBytes)
    return refuse(
      "too_large",
      `the file has more than ${LIMITS.uploadBytes} bytes`,
      "Put the file on a web server, and send its url.",
    );
  if (!request.body || size === 0)
    return refuse("empty_message", "the body is empty", "Send the file's bytes as the body.");
  const original = query.name ?? readDispositionName(request);
  return ok({
    body: request.body,
    mime: readMediaType(request) || "application/octet-stream",
    ...defined({ size, original }),
  });
}

/** Reads the file name of a `Content-Disposition` header, plain or in the encoding of RFC 8187. */
function readDispositionName(request: Request): string | undefined {
  const header = request.headers.get("Content-Disposition") ?? "";
  const extended = /;\s*filename\*=UTF-8''([^;\s]+)/i.exec(header)?.[1];
  try {
    if (extended !== undefined) return cutFileName(decodeURIComponent(extended));
  } catch {
    return undefined;
  }
  const plain = /;\s*filename="?([^";]+)"?/i.exec(header)?.[1]?.trim();
  return plain ? cutFileName(plain) : undefined;
}

const handleDownload = ({ env, principal, request, param }: HttpCall): HandlerPromise =>
  serveFile(env, request, { principal, ref: param("ref"), file: param("name") });

/** Serves the file of a download link while the credential for which it was made is live. */
async function handleDownloadLink({ env, request, param }: NoHouseholdCall): HandlerPromise {
  const link = await readDownloadToken(getConfig(env).secret, param("token"));
  return link && (await isStillLive(env, link.principal))
    ? await serveFile(env, request, link)
    : refuse(
        "link_dead",
        "the download link is invalid or has expired",
        "Fetch the file again with mess_fetch for a new link.",
      );
}

/** Serves a file that the principal may read. */
export async function serveFile(
  env: Env,
  request: Request,
  { principal, ref, file }: DownloadLink,
): HandlerPromise {
  const found = await findFile(env, principal, ref, file);
  return found.ok ? await serveFound(env, request, found.value.file) : found;
}

async function serveFound(env: Env, request: Request, file: FoundFile["file"]): HandlerPromise {
  const { store, attachment } = locateFile(env.BLOBS, file);
  return await serveAttachment(store, attachment, request);
}

/** Serves a file of an earlier thread to a reader of the thread that refers to it. */
const handleContextDownload = ({ env, principal, request, param }: HttpCall): HandlerPromise =>
  withThread(env, principal, param("ref"), undefined, async ({ stub }) => {
    const found = await stub.findContextFile(principal, param("thread"), param("name"));
    return found.ok ? await serveFound(env, request, found.value) : found;
  });

async function handleDelete({ env, principal, param }: HttpCall): HandlerPromise {
  if (!(await isStillLive(env, principal))) return refuseUnauthenticated();
  const deleted = await withThread(env, principal, param("ref"), undefined, ({ stub }) =>
    stub.deleteFile(principal, param("name"), toAuditSource(principal)),
  );
  return deleted.ok ? ok({ body: deleted.value }) : deleted;
}

export const attachmentRoutes: readonly HttpRoute[] = [
  defineMemberRoute({
    method: "post",
    path: "/mess/{ref}/attachments",
    access: "visitor",
    summary: "Upload one file, as the body or as the one file of a form",
    description:
      "Returns {file, name, mime, size}; a message of this thread can then name it, as in image: {file: …}. A file that no message names within a day is deleted. The location and other metadata are removed from photos and videos, unless keep_location is true.",
    query: uploadQuerySchema,
    body: { description: "The file's bytes", types: ["application/octet-stream", "*/*"] },
    status: 201,
    handle: handleUpload,
  }),
  defineMemberRoute({
    method: "get",
    path: "/mess/{ref}/attachments/{name}",
    access: "file",
    summary: "A file of the thread, whole or a range of it",
    produces: "application/octet-stream",
    query: sessionQuerySchema,
    handle: handleDownload,
  }),
  defineMemberRoute({
    method: "get",
    path: "/mess/{ref}/context/{thread}/{name}",
    access: "file",
    summary: "A file of an earlier thread to which this open thread's request refers",
    produces: "application/octet-stream",
    query: sessionQuerySchema,
    handle: handleContextDownload,
  }),
  defineMemberRoute({
    method: "delete",
    path: "/mess/{ref}/attachments/{name}",
    access: "member",
    summary: "Delete a file of the thread, for owners; its message shows that it was deleted",
    handle: handleDelete,
  }),
  defineNoHouseholdRoute({
    method: "get",
    path: "/files/{token}",
    access: "open",
    summary: "The file of a download link",
    description: `mess_fetch makes such links for large files. A link is valid for ${DOWNLOAD_LINK_MINUTES} minutes, and ends with the credential for which it was made.`,
    produces: "application/octet-stream",
    handle: handleDownloadLink,
  }),
];
