/**
 * From the link to a session: the token leaves the address bar before anything else happens, and is given to the
 * exchange by POST for a cookie that no script can read (decision 65).
 */
import { ApiError, call } from "./api.js";
import * as db from "./db.js";

/** @type {{ token: string } | { code: string } | undefined} */
let secret;
let ref = "";

/** True while the exchange has yet to see the link's token. */
let pending = false;

export const isPending = () => pending;

/** Takes what the address says out of it. `exchange`, in links of others, is ignored: the page talks home only. */
export function takeFromAddress() {
  const parameters = new URLSearchParams(location.search);
  const token = parameters.get("token") ?? parameters.get("t");
  const code = /^\/r\/([\w-]+)\/?$/.exec(location.pathname)?.[1];
  ref = parameters.get("ref") ?? parameters.get("request") ?? refIn(token);
  if (token) secret = { token };
  else if (code) secret = { code };
  pending = secret !== undefined;
  showRef();
}

/**
 * The thread that a token speaks of; the exchange alone decides whether that is true.
 * @param {string | null} token
 */
function refIn(token) {
  try {
    const payload = (token ?? "").split(".")[1] ?? "";
    const { ref } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    return typeof ref === "string" ? ref : "";
  } catch {
    return "";
  }
}

const showRef = () =>
  history.replaceState(null, "", ref === "" ? "/respond" : `/respond?ref=${encodeURIComponent(ref)}`);

export const currentRef = () => ref;

/** @param {string} known */
export async function learnRef(known) {
  if (known === ref) return;
  ref = known;
  showRef();
  if (secret && "code" in secret) await db.put("codes", await digest(secret.code), ref);
}

/** Gives the link's secret away for a cookie; does nothing where that has happened. */
export async function openSession() {
  if (!secret || !pending) return;
  const response = await call("/respond/session", { method: "POST", json: secret });
  pending = false;
  const body = await response.json().catch(() => ({}));
  const told = response.headers.get("X-MESS-Ref") ?? body?.ref;
  if (typeof told === "string" && told !== "") await learnRef(told);
}

/** Without the network a short link is known by what it opened before; its code itself is not kept. */
export async function recallRef() {
  if (ref !== "" || !secret || !("code" in secret)) return;
  const known = await db.get("codes", await digest(secret.code));
  if (typeof known === "string") {
    ref = known;
    showRef();
  }
}

/** @param {string} code */
async function digest(code) {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(code));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Asks for a new link where this one is dead; it goes to the person by their own channel, never to this page. */
export async function renew() {
  await call("/respond/renew", { method: "POST", json: { ...secret, ...(ref ? { ref } : {}) } });
}

/**
 * A 401 straight after a session was made: the cookie was not kept.
 * @param {unknown} error
 */
export const isCookieBlocked = (error) =>
  error instanceof ApiError && error.status === 401 && secret !== undefined && !pending;
