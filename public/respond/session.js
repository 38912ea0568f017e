/**
 * From the link to a session: the token leaves the address bar before anything else happens, and is given to the
 * exchange by POST for a cookie that no script can read (decision 65). The page then goes by the thread's ref, and by
 * the session's name, which tells two households' threads of one ref apart.
 */
import { ApiError, call } from "./api.js";
import * as db from "./device-store.js";

/** @type {{ token: string } | { code: string } | undefined} */
let secret;
/** @type {Where} */
let where = { ref: "", session: "" };

/** True while the exchange has yet to see the link's token. */
let pending = false;

/** The thread that the page is about. */
export const here = () => where;

/** Takes what the address says out of it. `exchange`, in links of others, is ignored: the page talks home only. */
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
 * The thread that a token speaks of; the exchange alone decides whether that is true.
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
export async function learnThread(known) {
  if (known.ref === where.ref && known.session === where.session) return;
  where = known;
  show();
  if (secret) await db.put("codes", await digest(secret), where);
}

/** @type {Promise<void> | undefined} */
let opening;

/** Gives the link's secret away for a cookie; does nothing where that has happened. */
export function openSession() {
  opening ??= exchangeSecret().finally(() => (opening = undefined));
  return opening;
}

async function exchangeSecret() {
  if (!secret || !pending) return;
  const { headers } = await call("/respond/session", { method: "POST", json: secret });
  pending = false;
  await learnThread({
    ref: headers.get("X-MESS-Ref") ?? where.ref,
    session: headers.get("X-MESS-Session") ?? where.session,
  });
}

/** Without the network a link is known by what it opened before; it is itself not kept. */
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

/** Asks for a new link where this one is dead; it goes to the person by their own channel, never to this page. */
export async function requestLink() {
  const { ref, session } = where;
  await call("/respond/renew", {
    method: "POST",
    json: secret ?? { ref },
    headers: session === "" ? {} : { "X-MESS-Session": session },
  });
}

/**
 * A 401 straight after a session was made: the cookie was not kept.
 * @param {unknown} error
 */
export const isCookieBlocked = (error) =>
  error instanceof ApiError && error.status === 401 && secret !== undefined && !pending;
