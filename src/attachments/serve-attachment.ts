/**
 * A stored file as an HTTP response: what came from strangers is shown only where it can run nothing, and
 * downloaded otherwise. Whether the caller may have it is settled before.
 */
import type { Attachment } from "../mess/envelope.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { formatContentDisposition } from "./content-disposition.ts";
import { matchesEtag, isRangeCurrent, readRange } from "./range-request.ts";
import { isInlineMime } from "./sniff-mime.ts";

/** Nothing is cached: a link may be revoked at any time. */
const SAFE_HEADERS = {
  "Accept-Ranges": "bytes",
  "Cache-Control": "private, no-store",
  "Content-Security-Policy": "sandbox; default-src 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const;

/**
 * Answers GET and HEAD with the file, the range asked for (206), 304 or 416. Refuses other methods with
 * `method_not_allowed`, and with `not_found` where the bytes are gone. The type is the one found at storing, which
 * R2 keeps, so that no record that was imported or altered can make a file be shown.
 */
export async function serveAttachment(
  bucket: R2Bucket,
  attachment: Attachment,
  request: Request,
): Promise<Outcome<Response>> {
  const { method, headers } = request;
  if (method !== "GET" && method !== "HEAD")
    return refuse("method_not_allowed", "files are only read here", "Use GET or HEAD.");
  const etag = buildEtag(attachment);
  if (matchesEtag(headers.get("If-None-Match"), etag))
    return ok(new Response(null, { status: 304, headers: { ...SAFE_HEADERS, ETag: etag } }));
  if (method === "HEAD") {
    const object = await bucket.head(attachment.key);
    return object
      ? ok(buildFileResponse(null, 200, attachment, object, object.size))
      : refuseMissingBytes();
  }
  const range = isRangeCurrent(headers.get("If-Range"), etag)
    ? readRange(headers.get("Range"), attachment.size)
    : "whole";
  if (range === "unsatisfiable") return ok(buildUnsatisfiableResponse(attachment, etag));
  const object = await bucket.get(attachment.key, range === "whole" ? {} : { range });
  if (!object) return refuseMissingBytes();
  if (range === "whole")
    return ok(buildFileResponse(object.body, 200, attachment, object, object.size));
  const { offset, length } = range;
  const response = buildFileResponse(object.body, 206, attachment, object, length);
  response.headers.set("Content-Range", `bytes ${offset}-${offset + length - 1}/${object.size}`);
  return ok(response);
}

/** The bytes under a key never change, so the key's own random part tells versions apart. */
const buildEtag = ({ key }: Attachment): string => `"${key.slice(key.lastIndexOf("/") + 1)}"`;

function buildFileResponse(
  body: ReadableStream | null,
  status: 200 | 206,
  attachment: Attachment,
  object: R2Object,
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

/** The refusal `bad_range` with the size, which RFC 9110 wants in a header. */
const buildUnsatisfiableResponse = ({ size }: Attachment, etag: string): Response =>
  Response.json(
    {
      error: {
        code: "bad_range",
        message: "the file ends before the range that was asked for",
        hint: `Ask for bytes below ${size}, or leave out the Range header.`,
      },
    },
    { status: 416, headers: { ...SAFE_HEADERS, ETag: etag, "Content-Range": `bytes */${size}` } },
  );

const refuseMissingBytes = (): Outcome<never> =>
  refuse(
    "not_found",
    "the file's bytes are no longer stored",
    "Ask its sender for the file again.",
  );
