/**
 * Reads the accepted forms of a document (decision 52) into one: a list of typed payloads, each with its path, and
 * the fields of the document that apply to all payloads.
 */
import type { BodyError } from "./body-errors.ts";
import { isMap, type Json, type JsonMap } from "../json.ts";
import { findNearest } from "../nearest-word.ts";
import { fail, ok, type Result } from "../result.ts";
import { MESSAGE_TYPES, type MessageType } from "./schema.ts";
import type { Path } from "./syntax/source-document.ts";

export interface Payload {
  type: MessageType;
  raw: Json;
  path: Path;
  /** `re` beside the payload instead of inside it. */
  re?: { raw: Json; path: Path };
}

export interface Payloads {
  payloads: Payload[];
  v?: { raw: Json; path: Path };
  /** `re` of the document (protocol §13.3). */
  re?: { raw: Json; path: Path };
}

type PayloadResult = Result<Payload[], BodyError>;

/** Keys allowed beside the payloads. The exchange ignores sender, time and channel, which it knows (decision 35). */
const SIBLING_KEYS: readonly string[] = ["v", "re", "from", "received", "channel"];

const readType = (key: string): MessageType | undefined => {
  const plain = key.trim().toLowerCase();
  return MESSAGE_TYPES.find((type) => type === plain);
};

/** Reads the payloads of one document. */
export function readPayloads(value: Json): Result<Payloads, BodyError> {
  const top = isMap(value) ? Object.keys(value).find((key) => /^mess$/i.test(key)) : undefined;
  if (top === undefined || !isMap(value)) return gatherPayloads(value, [], {});
  // `MESS:` whose payloads are not indented below it.
  if (value[top] === null && hasPayload(value)) {
    const { [top]: _empty, ...payloads } = value;
    return gatherPayloads(payloads, [], {});
  }
  const misplacedKey = Object.keys(value).find((key) => key !== top && readType(key));
  if (misplacedKey !== undefined)
    return fail({
      code: "bad_shape",
      message: "a payload is beside MESS instead of in its list",
      hint: "Indent the payload as an item of the MESS list.",
      path: [misplacedKey],
    });
  return gatherPayloads(value[top] ?? null, [top], {
    ...(isGiven(value.v) ? { v: { raw: value.v!, path: ["v"] } } : {}),
    ...(isGiven(value.re) ? { re: { raw: value.re!, path: ["re"] } } : {}),
  });
}

const isGiven = (value: Json | undefined): boolean => value !== undefined && value !== null;
const hasPayload = (map: JsonMap): boolean => Object.keys(map).some(readType);

function gatherPayloads(
  value: Json,
  path: Path,
  siblings: Omit<Payloads, "payloads">,
): Result<Payloads, BodyError> {
  const items: readonly (readonly [Json, Path])[] = Array.isArray(value)
    ? value.map((item, index) => [item, [...path, index]] as const)
    : [[value, path]];
  const found: Payloads = { payloads: [], ...siblings };
  for (const [item, at] of items) {
    if (isMap(item) && isGiven(item.v)) found.v ??= { raw: item.v!, path: [...at, "v"] };
    const read = readItem(item, at);
    if (!read.ok) return read;
    found.payloads.push(...read.value);
  }
  return ok(found);
}

function readItem(item: Json, path: Path): PayloadResult {
  if (item === null) return ok([]);
  if (typeof item !== "object") {
    const type = readType(String(item));
    return ok([type ? { type, raw: null, path } : { type: "request", raw: String(item), path }]);
  }
  if (!isMap(item))
    return fail({
      code: "bad_shape",
      message: "found a list where a payload is expected",
      hint: "Write each payload as {request: …}, {status: …} and so on.",
      path,
    });
  return readMap(item, path);
}

function readMap(item: JsonMap, path: Path): PayloadResult {
  const keys = Object.keys(item).filter((key) => !SIBLING_KEYS.includes(key));
  const types = keys.filter(readType);
  if ("requestor" in item && "status" in item && ("history" in item || "intent" in item))
    return fail({
      code: "bad_shape",
      message: "this is the envelope of a thread file",
      hint: "Import thread files with POST /mess/import; send only messages here.",
      path,
    });
  if (types.length === 0 && "intent" in item) {
    const { v: _v, from: _from, received: _received, channel: _channel, ...raw } = item;
    return ok([{ type: "request", raw, path }]);
  }
  // `- request:` whose fields are not indented below it.
  const [only] = types;
  if (types.length === 1 && item[only!] === null && keys.length > 1) {
    const { [only!]: _type, v: _v, ...raw } = item;
    return ok([{ type: readType(only!)!, raw, path }]);
  }
  const unknown = keys.find((key) => !readType(key));
  if (unknown !== undefined) return readUnknown(item, unknown, keys.length, path);
  const re = isGiven(item.re) ? { re: { raw: item.re!, path: [...path, "re"] } } : {};
  return ok(
    keys.map((key) => ({ type: readType(key)!, raw: item[key]!, path: [...path, key], ...re })),
  );
}

/** Reads a sentence with a colon, which YAML parses as a map, as an intent; refuses any other key as unknown type. */
function readUnknown(item: JsonMap, key: string, keys: number, path: Path): PayloadResult {
  const value = item[key] ?? null;
  if (keys === 1 && /\S\s+\S/.test(key) && typeof value !== "object")
    return ok([{ type: "request", raw: `${key}: ${value}`, path }]);
  const suggestion = findNearest(key, MESSAGE_TYPES);
  return fail({
    code: "unknown_type",
    message: "unknown message type",
    hint: suggestion
      ? `Did you mean ${suggestion}?`
      : "Use one of the message types of the protocol.",
    valid: MESSAGE_TYPES,
    path: [...path, key],
  });
}
