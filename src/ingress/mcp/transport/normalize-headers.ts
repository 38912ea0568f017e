/**
 * Fixes known header errors of existing clients before the SDK validates the request. All other header errors are
 * still refused.
 */
import { PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/server";
import { isMap } from "../../../mess/json.ts";

const VERSION_HEADER = "MCP-Protocol-Version";
/** The second error: the header names the last version of one protocol generation, the body is of the next one. */
const STALE_VERSION = "2025-11-25";
const CURRENT_VERSION = "2026-07-28";

/** Returns the version that the body declares. */
export function readBodyVersion(body: unknown): unknown {
  const params = isMap(body) ? body["params"] : undefined;
  const meta = isMap(params) ? params["_meta"] : undefined;
  return isMap(meta) ? meta[PROTOCOL_VERSION_META_KEY] : undefined;
}

const ACCEPTED_TYPES = "application/json, text/event-stream";

/** @param body the parsed JSON of the request; undefined if there is none */
export const normalizeHeaders = (headers: Headers, body: unknown): Headers =>
  normalizeAccept(normalizeVersion(headers, body));

/** A client that accepts anything, as by default, accepts both types; the SDK looks for their names. */
function normalizeAccept(headers: Headers): Headers {
  const types = (headers.get("Accept") ?? "*/*")
    .split(",")
    .map((type) => type.split(";")[0]!.trim());
  if (!types.includes("*/*")) return headers;
  const changed = new Headers(headers);
  changed.set("Accept", ACCEPTED_TYPES);
  return changed;
}

function normalizeVersion(headers: Headers, body: unknown): Headers {
  const given = headers.get(VERSION_HEADER);
  if (given === null) return headers;
  const versions = [...new Set(given.split(",").map((part) => part.trim()))];
  // A header sent twice arrives joined by a comma; two different values are still an error.
  const repeatedVersion = versions.length === 1 ? versions[0]! : given;
  const version =
    repeatedVersion === STALE_VERSION && readBodyVersion(body) === CURRENT_VERSION
      ? CURRENT_VERSION
      : repeatedVersion;
  if (version === given) return headers;
  const changed = new Headers(headers);
  changed.set(VERSION_HEADER, version);
  return changed;
}
