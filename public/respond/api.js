/** Talking to the exchange that served the page, and to no other. Its refusals are errors with a code. */
import { learnClock } from "./time.js";

export class ApiError extends Error {
  /**
   * @param {number} status 0 where nothing was heard
   * @param {{ code: string, message: string, hint?: string, reason?: string }} error
   * @param {number} [retryAfter] milliseconds
   */
  constructor(status, error, retryAfter) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.hint = error.hint;
    this.reason = error.reason;
    this.retryAfter = retryAfter;
  }

  /** The same call may well succeed later. */
  get passes() {
    return this.status === 0 || this.status >= 500 || [408, 425, 429].includes(this.status);
  }

  /** The link or the session, not the call, is at fault. */
  get isShut() {
    return this.status === 401 || this.code === "link_dead";
  }
}

export const offline = () => new ApiError(0, { code: "offline", message: "no connection" });

/** Sent with everything but a GET: a form of another site cannot set it. */
export const CLIENT = { "X-MESS-Client": "respond" };

/**
 * @param {number} status
 * @param {string} text
 * @param {string | null} retryAfter
 */
export function refusalOf(status, text, retryAfter) {
  const wait = Number(retryAfter) * 1000 || undefined;
  try {
    const { error } = JSON.parse(text);
    if (typeof error?.code === "string") return new ApiError(status, error, wait);
  } catch {
    // Not the exchange's own words: a proxy's.
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
        ...(method === "GET" ? {} : CLIENT),
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
  learnClock(response.headers.get("Date"));
  if (response.ok) return response;
  throw refusalOf(
    response.status,
    await response.text().catch(() => ""),
    response.headers.get("Retry-After"),
  );
}

/** @param {string} ref */
const inThread = (ref) => `/mess/${encodeURIComponent(ref)}`;

/**
 * @param {string} ref empty where the session's own thread is meant
 * @returns {Promise<ThreadState>}
 */
export async function readState(ref) {
  const query = ref === "" ? "" : `?ref=${encodeURIComponent(ref)}`;
  return await (await call(`/respond/state${query}`)).json();
}

/**
 * Waits for the thread to change, in the way that needs no socket.
 * @param {string} ref
 * @param {number} cursor
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the cursor afterwards
 */
export async function waitForChange(ref, cursor, signal) {
  const path = `${inThread(ref)}/wait?cursor=${cursor}&timeout=25`;
  const body = await (await call(path, { signal })).json();
  return typeof body.cursor === "number" ? body.cursor : cursor;
}

/**
 * @param {string} ref
 * @param {JsonMap[]} blocks
 * @param {string} key the same for every attempt, so that it counts once
 */
export async function postMessage(ref, blocks, key) {
  const response = await call(`/mess?ref=${encodeURIComponent(ref)}`, {
    method: "POST",
    json: { MESS: blocks },
    headers: { "Idempotency-Key": key },
  });
  const body = await response.json().catch(() => ({}));
  const refused = body?.MESS?.find?.((/** @type {any} */ entry) => entry?.error);
  if (refused) throw new ApiError(409, refused.error);
}

/** @param {string} ref */
export const uploadsPath = (ref) => `${inThread(ref)}/uploads`;

/**
 * @param {string} ref
 * @param {string} name
 */
export const attachmentsPath = (ref, name) =>
  `${inThread(ref)}/attachments?name=${encodeURIComponent(name)}`;
