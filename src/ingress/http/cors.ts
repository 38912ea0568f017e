/**
 * Lets pages of any origin call the paths for MESS clients. They authenticate by a key in a header, never by a cookie,
 * so another page's script can do nothing there that its server could not do.
 */
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { MessError } from "../../mess/errors.ts";

const EXCHANGES_PREFIX = "/api/v1/exchanges/";

const isForClients = (pathname: string): boolean =>
  pathname.startsWith(EXCHANGES_PREFIX) || pathname === "/health";

/** A day, which is the longest that browsers keep it. */
const PREFLIGHT_SECONDS = 86_400;

export function addCorsHeaders(pathname: string, method: string, headers: Headers): void {
  if (!isForClients(pathname)) return;
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", "Location, Link, Retry-After, X-Request-Id");
  if (method !== "OPTIONS") return;
  headers.set("Access-Control-Allow-Methods", headers.get("Allow") ?? "GET");
  headers.set(
    "Access-Control-Allow-Headers",
    "Authorization, Content-Type, Idempotency-Key, Prefer",
  );
  headers.set("Access-Control-Max-Age", String(PREFLIGHT_SECONDS));
}

/** A credential that is too long to be one is a wrong credential for these clients. */
export const toClientError = (pathname: string, error: MessError): MessError =>
  isForClients(pathname) && error.path === "authorization" ? refuseUnauthenticated().error : error;
