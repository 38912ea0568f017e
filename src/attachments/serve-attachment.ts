/**
 * Serves a stored file over HTTP. Untrusted files are shown inline only where their type cannot run scripts, and
 * are downloaded otherwise. The caller has checked the access.
 */
import type { Attachment } from "../mess/envelope.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { formatContentDisposition } from "./content-disposition.ts";
import type { FileStore, StoredFileHead } from "./file-store.ts";
import { matchesEtag, isRangeCurrent, readRange } from "./range-request.ts";
import { isInlineMime } from "./sniff-mime.ts";

/** Responses are not cached, since a link may be revoked at any time. */
const SAFE_HEADERS = {
  "Accept-Ranges": "bytes",
  "Cache-Control": "private, no-store",
  "Content-Security-Policy": "sandbox; default-src 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const;

/**
 * Responds to GET and HEAD with the file, the requested range (206), 304 or 416. Refuses other methods with
 * `method_not_allowed`, and missing bytes with `not_found`. The type is the one that was stored after sniffing, so
 * that an imported or altered record cannot cause a file to be shown inline.
 */
export async function serveAttachment(
  store: FileStore,
  attachment: Attachment,
  request: Request,
): Promise<Outcome<Response>> {
  const { method, headers } = request;
  if (method !== "GET" && method !== "HEAD")
    return refuse("method_not_allowed", "method not allowed for this path", "Use GET or HEAD.");
  const etag = buildEtag(attachment);
  if (matchesEtag(headers.get("If-None-Match"), etag))
    return ok(new Response(null, { status: 304, headers: { ...SAFE_HEADERS, ETag: etag } }));
  if (method === "HEAD") {
    const object = await store.head(attachment.key);
    return object
      ? ok(buildFileResponse(null, 200, attachment, object, object.size))
      : refuseMissingBytes();
  }
  const range = isRangeCurrent(headers.get("If-Range"), etag)
    ? readRange(headers.get("Range"), attachment.size)
    : "whole";
  if (range === "unsatisfiable") return ok(buildUnsatisfiableResponse(attachment, etag));
  const object = await store.get(attachment.key, range === "whole" ? {} : { range });
  if (!object) return refuseMissingBytes();
  if (range === "whole")
    return ok(buildFileResponse(object.body, 200, attachment, object, object.size));
  const { offset, length } = range;
  const response = buildFileResponse(object.body, 206, attachment, object, length);
  response.headers.set("Content-Range", `bytes ${offset}-${offset + length - 1}/${object.size}`);
  return ok(response);
}

/** The bytes under a key never change, so the random part of the key is the entity tag. */
const buildEtag = ({ key }: Attachment): string => `"${key.slice(key.lastIndexOf("/") + 1)}"`;

function buildFileResponse(
  body: ReadableStream | null,
  status: 200 | 206,
  attachment: Attachment,
  object: StoredFileHead,
  length: number,
): Response {
  const mime = object.httpMetadata?.contentType ?? "application/octet-stream";
  const disposition = isInlineMime(mime) ? "inline" : "attachment";
  return new Response(body, {
    status,
    headers: {
      ...SAFE_HEADERS,
      "Content-Type": mime,
      "Content-Length": String(length),
      "Content-Disposition": formatContentDisposition(
        disposition,
        attachment.name,
        attachment.original,
      ),
      ETag: buildEtag(attachment),
    },
  });
}

/** Builds the error `bad_range` with the file's size in `Content-Range`, as RFC 9110 requires. */
const buildUnsatisfiableResponse = ({ size }: Attachment, etag: string): Response =>
  Response.json(
    {
      error: {
        code: "bad_range",
        message: "the requested range is past the end of the file",
        hint: `Request bytes below ${size}, or leave out the Range header.`,
      },
    },
    { status: 416, headers: { ...SAFE_HEADERS, ETag: etag, "Content-Range": `bytes */${size}` } },
  );

const refuseMissingBytes = (): Outcome<never> =>
  refuse("not_found", "the file is no longer stored", "Ask its sender to send the file again.");
