/** HTTP calls to the exchange that served the page, always same-origin. A refusal is thrown as an `ApiError`. */
import { setServerClock } from "../ui/server-clock.js";

export class ApiError extends Error {
  /**
   * @param {number} status the HTTP status; 0 if there was no response
   * @param {{ code: string, message: string, hint?: string, reason?: string, status?: string, note?: string }} error
   * @param {number} [retryAfter] milliseconds
   */
  constructor(status, error, retryAfter) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.hint = error.hint;
    this.reason = error.reason;
    /** Final status of the thread, if the link is dead because the thread ended. */
    this.ended = error.reason === "finished" ? (error.status ?? "") : undefined;
    /** The reason that was given for that status. */
    this.note = error.note;
    this.retryAfter = retryAfter;
  }

  /** True if the same call may succeed later. */
  get transient() {
    return this.status === 0 || this.status >= 500 || [408, 425, 429].includes(this.status);
  }

  /** True if the link or the session is invalid, not the call. */
  get isDenied() {
    return this.status === 401 || this.code === "link_dead";
  }
}

export const offline = () => new ApiError(0, { code: "offline", message: "no connection" });

/** Sent with every write: another site's form cannot set this header (CSRF). */
export const HEADERS = { "X-MESS-Client": "respond" };

/**
 * @param {number} status
 * @param {string} text
 * @param {string | null} retryAfter
 */
export function toError(status, text, retryAfter) {
  const wait = Number(retryAfter) * 1000 || undefined;
  try {
    const { error } = JSON.parse(text);
    if (typeof error?.code === "string") return new ApiError(status, error, wait);
  } catch {
    // Not an error of the exchange; probably a proxy's page.
  }
  return new ApiError(status, { code: `http_${status}`, message: `HTTP ${status}` }, wait);
}

/**
 * @param {string} path
 * @param {{ method?: string, json?: unknown, headers?: Record<string, string>, signal?: AbortSignal, keepalive?: boolean }} [options]
 * @returns {Promise<Response>}
 */
export async function call(path, { method = "GET", json, headers = {}, signal, keepalive } = {}) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, {
      method,
      credentials: "same-origin",
      redirect: "error",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      headers: {
        Accept: "application/json",
        ...(method === "GET" ? {} : HEADERS),
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(signal ? { signal } : {}),
      ...(keepalive ? { keepalive } : {}),
    });
  } catch {
    throw offline();
  }
  setServerClock(response.headers.get("Date"));
  if (response.ok) return response;
  throw toError(
    response.status,
    await response.text().catch(() => ""),
    response.headers.get("Retry-After"),
  );
}

/** @param {Where} where @returns {Record<string, string>} */
export const sessionHeader = ({ session }) => (session === "" ? {} : { "X-MESS-Session": session });

/** @param {Where} where */
const threadPath = ({ ref }) => `/mess/${encodeURIComponent(ref)}`;

/**
 * @param {Where} where
 * @returns {Promise<ThreadState>}
 */
export async function readState(where) {
  const path = `/respond/state?ref=${encodeURIComponent(where.ref)}`;
  return await (await call(path, { headers: sessionHeader(where) })).json();
}

/**
 * Waits by long polling until the thread changes.
 * @param {Where} where
 * @param {number} cursor
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the new cursor
 */
export async function waitForChange(where, cursor, signal) {
  const path = `${threadPath(where)}/wait?cursor=${cursor}&timeout=25`;
  const body = await (await call(path, { signal, headers: sessionHeader(where) })).json();
  return typeof body.cursor === "number" ? body.cursor : cursor;
}

/**
 * @param {Where} where
 * @param {JsonMap[]} blocks
 * @param {string} key idempotency key, the same for every attempt
 */
export async function postMessage(where, blocks, key) {
  const response = await call(`/mess?ref=${encodeURIComponent(where.ref)}`, {
    method: "POST",
    json: { MESS: blocks },
    headers: { "Idempotency-Key": key, ...sessionHeader(where) },
  });
  const body = await response.json().catch(() => ({}));
  const refused = body?.MESS?.find?.((/** @type {any} */ entry) => entry?.error);
  if (refused) throw new ApiError(409, refused.error);
}

/** @param {Where} where */
export const uploadsPath = (where) => `${threadPath(where)}/uploads`;

/**
 * @param {Where} where
 * @param {string} name
 */
export const attachmentsPath = (where, name) =>
  `${threadPath(where)}/attachments?name=${encodeURIComponent(name)}`;
