/**
 * Reads the entries that refer to a file: `image`, `audio`, `video` and `file` (decision 56). Normal form: an https
 * or data URI is a string; everything else is a map with exactly one of `file` (stored in the thread),
 * `resource` and `uri`, then `name`, `mime`, `size`. Nothing is fetched or opened (decision 59).
 */
import { defined } from "../../defined.ts";
import { isDataUri, readBase64, readDataUri, readMime, writeDataUri } from "./data-uri.ts";
import type { ErrorCode } from "../../errors.ts";
import { isMap, type Json, type JsonMap } from "../../json.ts";
import { buildTooLongHint } from "../../lengths.ts";
import { cutFileName } from "../../file-names.ts";
import { LIMITS } from "../../limits.ts";
import { isFileName, isResource } from "../../names.ts";
import { fail, ok, type Result } from "../../result.ts";

export const MEDIA = ["image", "audio", "video", "file"] as const;
export type Media = (typeof MEDIA)[number];
export const isMedia = (key: string): key is Media => (MEDIA as readonly string[]).includes(key);

/** An error of an entry, with the path inside the entry. */
export interface EntryError {
  code: ErrorCode;
  message: string;
  hint: string;
  path: (string | number)[];
  valid?: readonly string[];
}

export const failAt = (
  path: (string | number)[],
  code: ErrorCode,
  message: string,
  hint: string,
  valid?: readonly string[],
): { readonly ok: false; readonly error: EntryError } =>
  fail({ code, message, hint, path, ...defined({ valid }) });

/** Refuses a text that is longer than `maxChars`; undefined where the value is valid or not a text. */
export const checkChars = (
  value: Json | undefined,
  maxChars: number,
  path: (string | number)[],
  code: ErrorCode = "bad_field",
): { readonly ok: false; readonly error: EntryError } | undefined =>
  typeof value === "string" && value.length > maxChars
    ? failAt(path, code, `longer than ${maxChars} characters`, buildTooLongHint(maxChars))
    : undefined;

/** Maximum length of a data URI as it was sent: percent encoding and line breaks can triple its length. */
const RAW_DATA_CHARS = 3 * LIMITS.inlineDataBytes;

const MEDIA_SOURCES = ["uri", "file", "resource", "data"] as const;
/** File names that the exchange generates. A plain string of this form refers to that file. */
const STORED_NAME_PATTERN = /^(?:upload-[A-Za-z0-9-]+|att-\d{3,}-(?:image|audio|video|file)-.+)$/;
const WEB_URL_PATTERN = /^https?:\/\/\S+$/i;

/** Reads the value of a media entry into the normal form. */
export function readMedia(value: Json): Result<Json, EntryError> {
  if (typeof value === "string") return readUri(value, {}, []);
  if (!isMap(value))
    return failAt(
      [],
      "bad_attachment",
      "not a file",
      "Give a URL, a data URI or a map with one of uri, file, resource and data.",
    );
  const { file: nested, ...outer } = value;
  const map: JsonMap = isMap(nested) ? { ...outer, ...nested } : value;
  const [source, ...others] = MEDIA_SOURCES.filter(
    (key) => map[key] !== undefined && map[key] !== null,
  );
  if (source === undefined || others.length > 0)
    return failAt(
      [],
      "bad_attachment",
      source === undefined ? "no file is given" : "the file is given more than once",
      "Give exactly one of uri, file, resource and data.",
      MEDIA_SOURCES,
    );
  const given = map[source];
  if (typeof given !== "string")
    return failAt([source], "bad_attachment", "not a text", "Give the value as a text.");
  const described = readDescription(map);
  if (!described.ok) return described;
  const details = described.value;
  switch (source) {
    case "data":
      return readData(given, details);
    case "resource":
      return readResource(given, details, ["resource"]);
    case "file":
      return isFileName(given)
        ? ok({ file: given, ...details })
        : readUri(given, details, ["file"]);
    default:
      return readUri(given, details, ["uri"]);
  }
}

/** Reads `name`, `mime`, `size` and unknown keys, in the order of the normal form. */
function readDescription(map: JsonMap): Result<JsonMap, EntryError> {
  const {
    name,
    mime,
    size,
    uri: _uri,
    file: _file,
    resource: _resource,
    data: _data,
    ...otherFields
  } = map;
  const details: JsonMap = {};
  if (name !== undefined && name !== null) {
    const text = typeof name === "object" ? "" : String(name).trim();
    if (text === "")
      return failAt(
        ["name"],
        "bad_field",
        "not a file name",
        "Give the file's name as a short text.",
      );
    details.name = cutFileName(text);
  }
  if (mime !== undefined && mime !== null) {
    const long = checkChars(mime, LIMITS.mimeTypeChars, ["mime"]);
    if (long) return long;
    const type = typeof mime === "string" ? readMime(mime) : undefined;
    if (type === undefined)
      return failAt(["mime"], "bad_field", "not a MIME type", "Write it as image/jpeg.");
    details.mime = type;
  }
  if (size !== undefined && size !== null) {
    const long = checkChars(size, LIMITS.numberChars, ["size"]);
    if (long) return long;
    const bytes = typeof size === "string" && /^\d+$/.test(size) ? Number(size) : size;
    if (typeof bytes !== "number" || !Number.isSafeInteger(bytes) || bytes < 0)
      return failAt(["size"], "bad_field", "not a size", "Give the number of bytes.");
    details.size = bytes;
  }
  return ok({ ...details, ...otherFields });
}

function readUri(
  given: string,
  details: JsonMap,
  path: (string | number)[],
): Result<Json, EntryError> {
  const uri = given.trim();
  if (uri === "")
    return failAt(path, "bad_attachment", "no file is given", "Give a URL or a data URI.");
  if (isDataUri(uri)) return readInline(uri, details, path);
  const long = checkChars(uri, LIMITS.linkChars, path, "bad_attachment");
  if (long) return long;
  if (uri.startsWith("content:")) return readResource(uri, details, path);
  if (STORED_NAME_PATTERN.test(uri) && isFileName(uri)) return ok({ file: uri, ...details });
  return WEB_URL_PATTERN.test(uri) && Object.keys(details).length === 0
    ? ok(uri)
    : ok({ uri, ...details });
}

function readResource(
  given: string,
  details: JsonMap,
  path: (string | number)[],
): Result<Json, EntryError> {
  const long = checkChars(given, LIMITS.resourceChars, path, "bad_attachment");
  if (long) return long;
  const resource = given.trim();
  return isResource(resource)
    ? ok({ resource, ...details })
    : failAt(
        path,
        "bad_attachment",
        "not a resource of this exchange",
        "Write content://{thread}/{file} exactly as the exchange returned it.",
      );
}

function readData(given: string, details: JsonMap): Result<Json, EntryError> {
  if (isDataUri(given.trimStart())) return readInline(given, details, ["data"]);
  if (given.length > RAW_DATA_CHARS) return refuseOversize(["data"]);
  const { mime } = details;
  const base64 = readBase64(given);
  if (typeof mime !== "string" || base64 === undefined)
    return failAt(
      ["data"],
      "bad_attachment",
      base64 === undefined ? "the data is not base64" : "the data has no MIME type",
      "Give data as base64, with mime beside it.",
    );
  return readInline(writeDataUri({ mime, base64 }), details, ["data"]);
}

/** Removes `mime` and `size` beside a data URI, since the URI contains both. */
function readInline(
  given: string,
  details: JsonMap,
  path: (string | number)[],
): Result<Json, EntryError> {
  if (given.length > RAW_DATA_CHARS) return refuseOversize(path);
  const data = readDataUri(given);
  if (!data)
    return failAt(
      path,
      "bad_attachment",
      "the data URI is malformed",
      "Write data:image/jpeg;base64, and the data in base64.",
    );
  const uri = writeDataUri(data);
  if (uri.length > LIMITS.inlineDataBytes) return refuseOversize(path);
  const { mime: _mime, size: _size, ...otherFields } = details;
  return ok(Object.keys(otherFields).length === 0 ? uri : { uri, ...otherFields });
}

const refuseOversize = (path: (string | number)[]) =>
  failAt(
    path,
    "too_large",
    `inline data over ${LIMITS.inlineDataBytes / 1024} KB`,
    "Upload the file as an attachment and refer to it by the name that the upload returns.",
  );
