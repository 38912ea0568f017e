/**
 * Uploads files: small ones in one call, large ones in parts that resume after a broken connection. Also works in
 * the service worker, without progress.
 */
import {
  ApiError,
  attachmentsPath,
  call,
  HEADERS,
  offline,
  toError,
  sessionHeader,
  uploadsPath,
} from "../send/api.js";

/** The server's limit per file. */
export const MAX_BYTES = 100 * 1024 * 1024;
/** The server's limit per message. */
export const MAX_FILES = 20;
const MAX_SINGLE_CALL_BYTES = 5 * 1024 * 1024;
const PART_BYTES = 5 * 1024 * 1024;

/** @typedef {(sent: number) => void} Progress */

/**
 * @param {Where} where
 * @param {LocalFile} file
 * @param {Progress} progress bytes sent so far
 * @param {(changed: LocalFile) => Promise<unknown>} keep stores the changed file, so that an upload survives a restart
 * @returns {Promise<string>} the upload token for use in a message
 */
export async function upload(where, file, progress, keep) {
  if (file.token) return file.token;
  const token =
    file.size > MAX_SINGLE_CALL_BYTES
      ? await sendParts(where, file, progress, keep)
      : await sendWhole(where, file, progress);
  file.token = token;
  await keep(file);
  return token;
}

/**
 * @param {Where} where
 * @param {LocalFile} file
 * @param {Progress} progress
 */
async function sendWhole(where, file, progress) {
  const { body } = await send("POST", attachmentsPath(where, file.name), file.blob, progress, {
    "Content-Type": file.mime || "application/octet-stream",
    "Idempotency-Key": file.id,
    ...sessionHeader(where),
  });
  return readToken(body);
}

/**
 * @param {Where} where
 * @param {LocalFile} file
 * @param {Progress} progress
 * @param {(changed: LocalFile) => Promise<unknown>} keep
 */
async function sendParts(where, file, progress, keep) {
  let offset = await resume(where, file);
  if (offset === undefined) {
    const { name, mime, size } = file;
    const begun = await call(uploadsPath(where), {
      method: "POST",
      json: { name, mime, size },
      headers: { "Idempotency-Key": file.id, ...sessionHeader(where) },
    });
    const body = await begun.json();
    file.upload = String(body.upload);
    offset = Number(body.offset) || 0;
    await keep(file);
  }
  const path = `${uploadsPath(where)}/${encodeURIComponent(file.upload ?? "")}`;
  for (;;) {
    /** @type {number} */
    const start = offset;
    const piece = file.blob.slice(start, start + PART_BYTES);
    const { body, headers } = await send("PATCH", path, piece, (sent) => progress(start + sent), {
      "Content-Type": "application/octet-stream",
      "Upload-Offset": String(start),
      ...sessionHeader(where),
    });
    if (typeof body?.file === "string") return body.file;
    offset = Number(headers("Upload-Offset") ?? body?.offset ?? start + piece.size);
    if (!(offset > start))
      throw new ApiError(0, { code: "stuck", message: "the upload makes no progress" });
    progress(offset);
  }
}

/**
 * The offset of an earlier upload; undefined to start a new one.
 * @param {Where} where
 * @param {LocalFile} file
 */
async function resume(where, file) {
  if (!file.upload) return undefined;
  try {
    const path = `${uploadsPath(where)}/${encodeURIComponent(file.upload)}`;
    const response = await call(path, { method: "HEAD", headers: sessionHeader(where) });
    const offset = Number(response.headers.get("Upload-Offset") ?? Number.NaN);
    // All bytes are stored but the response with the token was lost: start again.
    if (offset >= file.size) return undefined;
    return Number.isNaN(offset) ? undefined : offset;
  } catch (error) {
    if (error instanceof ApiError && (error.transient || error.isDenied)) throw error;
    return undefined;
  }
}

/** @param {any} body */
function readToken(body) {
  if (typeof body?.file === "string") return body.file;
  throw new ApiError(502, { code: "no_file", message: "the response contains no upload token" });
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Blob} blob
 * @param {Progress} progress
 * @param {Record<string, string>} headers
 * @returns {Promise<{ body: any, headers: (name: string) => string | null }>}
 */
async function send(method, path, blob, progress, headers) {
  if (typeof XMLHttpRequest !== "undefined")
    return await sendTracked(method, path, blob, progress, { ...HEADERS, ...headers });
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, { method, body: blob, headers: { ...HEADERS, ...headers } });
  } catch {
    throw offline();
  }
  const text = await response.text();
  if (!response.ok) throw toError(response.status, text, response.headers.get("Retry-After"));
  return { body: read(text), headers: (name) => response.headers.get(name) };
}

/**
 * Uses XMLHttpRequest, since fetch reports no upload progress.
 * @param {string} method
 * @param {string} path
 * @param {Blob} blob
 * @param {Progress} progress
 * @param {Record<string, string>} headers
 * @returns {Promise<{ body: any, headers: (name: string) => string | null }>}
 */
function sendTracked(method, path, blob, progress, headers) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded }) => progress(loaded));
    request.addEventListener("load", () => {
      const { status, responseText } = request;
      if (status >= 200 && status < 300)
        resolve({ body: read(responseText), headers: (name) => request.getResponseHeader(name) });
      else reject(toError(status, responseText, request.getResponseHeader("Retry-After")));
    });
    for (const end of ["error", "abort", "timeout"])
      request.addEventListener(end, () => reject(offline()));
    request.send(blob);
  });
}

/** @param {string} text */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
