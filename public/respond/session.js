/**
 * Exchanges the token of a link for a session cookie (decision 65): the token is removed from the address bar first,
 * then sent by POST; scripts cannot read the cookie. The URL keeps the thread's ref and the session's name, since two
 * households may use the same ref.
 */
import { ApiError, call } from "./send/api.js";
import * as db from "./device-store.js";

/** @type {{ token: string } | { code: string } | undefined} */
let secret;
/** @type {Where} */
let where = { ref: "", session: "" };

/** True until the server has received the token. */
let pending = false;

/** The thread of this page. */
export const here = () => where;

/** Reads and removes the token from the URL. `exchange` in it is ignored: the page calls only its own origin. */
export function takeFromAddress() {
  const parameters = new URLSearchParams(location.search);
  const token = parameters.get("token") ?? parameters.get("t");
  const code = /^\/r\/([^/]+)\/?$/.exec(location.pathname)?.[1];
  const ref = parameters.get("ref") ?? parameters.get("request") ?? readRef(token);
  where = { ref, session: parameters.get("session") ?? "" };
  if (token) secret = { token };
  else if (code) secret = { code };
  pending = secret !== undefined;
  show();
}

/**
 * The ref in a token, unverified; only the server checks it.
 * @param {string | null} token
 */
function readRef(token) {
  try {
    const payload = (token ?? "").split(".")[1] ?? "";
    const { ref } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    return typeof ref === "string" ? ref : "";
  } catch {
    return "";
  }
}

function show() {
  const { ref, session } = where;
  const query = new URLSearchParams({
    ...(ref && { ref }),
    ...(session && { session }),
  }).toString();
  history.replaceState(null, "", query === "" ? "/respond" : `/respond?${query}`);
}

/** @param {Where} known */
export async function rememberThread(known) {
  if (known.ref === where.ref && known.session === where.session) return;
  where = known;
  show();
  if (secret) await db.put("codes", await digest(secret), where);
}

/** @type {Promise<void> | undefined} */
let opening;

/** Exchanges the link's token for a cookie, once. */
export function openSession() {
  opening ??= exchangeSecret().finally(() => (opening = undefined));
  return opening;
}

async function exchangeSecret() {
  if (!secret || !pending) return;
  const { headers } = await call("/respond/session", { method: "POST", json: secret });
  pending = false;
  await rememberThread({
    ref: headers.get("X-MESS-Ref") ?? where.ref,
    session: headers.get("X-MESS-Session") ?? where.session,
  });
}

/** Finds the thread of a link offline by the digest of its token; the token itself is not stored. */
export async function restoreThread() {
  if (!secret || where.session !== "") return;
  /** @type {Where | undefined} */
  const known = await db.get("codes", await digest(secret));
  if (!known || where.session !== "") return;
  where = known;
  show();
}

/** @param {object} shown */
async function digest(shown) {
  const bytes = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(JSON.stringify(shown)),
  );
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Requests a new link. It is sent to the person's channel, never to this page.
 * @returns {Promise<boolean>} whether one is being sent
 */
export async function requestLink() {
  const { ref, session } = where;
  const response = await call("/respond/renew", {
    method: "POST",
    json: secret ?? { ref },
    headers: session === "" ? {} : { "X-MESS-Session": session },
  });
  return (await response.json()).sent === true;
}

/**
 * True for a 401 right after the session was created: the browser dropped the cookie.
 * @param {unknown} error
 */
export const isCookieBlocked = (error) =>
  error instanceof ApiError && error.status === 401 && secret !== undefined && !pending;
