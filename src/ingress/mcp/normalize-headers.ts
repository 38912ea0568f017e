/**
 * What is put right in a request before the SDK judges it: two faults of clients in use. Everything else that is
 * wrong with headers stays wrong.
 */
import { PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/server";
import { isMap } from "../../mess/json.ts";

const VERSION_HEADER = "MCP-Protocol-Version";
/** What the second fault looks like: the last revision of one era named over a body of the next. */
const STALE_VERSION = "2025-11-25";
const CURRENT_VERSION = "2026-07-28";

/** The version that the body's own envelope names. */
function readBodyVersion(body: unknown): unknown {
  const params = isMap(body) ? body["params"] : undefined;
  const meta = isMap(params) ? params["_meta"] : undefined;
  return isMap(meta) ? meta[PROTOCOL_VERSION_META_KEY] : undefined;
}

/** @param body the parsed JSON of the request, undefined where there is none. */
export function normalizeHeaders(headers: Headers, body: unknown): Headers {
  const given = headers.get(VERSION_HEADER);
  if (given === null) return headers;
  const named = [...new Set(given.split(",").map((part) => part.trim()))];
  // Sent twice, the values arrive joined by a comma; two that differ stay a fault.
  const once = named.length === 1 ? named[0]! : given;
  const version =
    once === STALE_VERSION && readBodyVersion(body) === CURRENT_VERSION ? CURRENT_VERSION : once;
  if (version === given) return headers;
  const changed = new Headers(headers);
  changed.set(VERSION_HEADER, version);
  return changed;
}
