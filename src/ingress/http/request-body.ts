/** Reads request bodies: never more bytes than the limit, and only known media types. */
import { defined } from "../../mess/defined.ts";
import type * as z from "zod";
import { concatBytes, decodeUtf8 } from "../../bytes.ts";
import { type ErrorCode, type Outcome, refuse } from "../../mess/errors.ts";
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";
import { boundedTextSchema, getLengthHint } from "../../mess/lengths.ts";
import { LIMITS, type TextLimits } from "../../mess/limits.ts";
import { fail, ok } from "../../mess/result.ts";
import { readChunk, readWhole } from "../../read-chunk.ts";
import { refuseBody } from "../../mess/wire/body-errors.ts";
import { checkControls } from "../../mess/wire/control-characters.ts";
import { readDocuments, type SourceDocument } from "../../mess/wire/syntax/read-yaml.ts";

export const TEXT_TYPES = [
  "application/json",
  "application/yaml",
  "application/x-yaml",
  "text/yaml",
  "text/plain",
] as const;

/** The id of a member, in bodies and queries. */
export const memberIdSchema = boundedTextSchema(LIMITS.actorIdChars).min(1);

const ACCEPTED_TYPES: readonly string[] = [...TEXT_TYPES, "text/json", "text/x-yaml"];

/** Returns the media type without parameters, in lower case; empty if the header is missing. */
export const readMediaType = (request: Request): string =>
  (request.headers.get("Content-Type") ?? "").split(";")[0]!.trim().toLowerCase();

const refuseTooLarge = (maxBytes: number): Outcome<never> =>
  refuse(
    "too_large",
    `the body has more than ${maxBytes} bytes`,
    "Upload large files to the thread's attachments, and name them in the message.",
  );

/** A body that fits into a few packets is read at once, in half the time that a reader of its stream takes. */
const MAX_WHOLE_BYTES = 4_096;

/** Reads the body and counts the bytes while reading: a missing or false Content-Length cannot bypass the limit. */
export async function readBytes(request: Request, maxBytes: number): Promise<Outcome<Uint8Array>> {
  const encoding = request.headers.get("Content-Encoding")?.toLowerCase() ?? "identity";
  if (encoding !== "identity")
    return refuse(
      "unsupported_media_type",
      "compressed bodies are not accepted",
      "Send the body without Content-Encoding.",
    );
  const announced = request.headers.get("Content-Length");
  if (Number(announced ?? 0) > maxBytes) return refuseTooLarge(maxBytes);
  if (announced !== null && Number(announced) <= MAX_WHOLE_BYTES) {
    const read = await readWhole(request);
    if (read === "broken") return refuseIncomplete();
    if (read === "late") return refuseLate();
    return read.byteLength > maxBytes ? refuseTooLarge(maxBytes) : ok(read);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  if (!reader) return ok(new Uint8Array());
  for (;;) {
    const chunk = await readChunk(reader);
    if (chunk === "end") break;
    if (typeof chunk !== "string") {
      size += chunk.byteLength;
      chunks.push(chunk);
    }
    if (typeof chunk === "string" || size > maxBytes) {
      await reader.cancel().catch(() => undefined);
      return chunk === "broken"
        ? refuseIncomplete()
        : chunk === "late"
          ? refuseLate()
          : refuseTooLarge(maxBytes);
    }
  }
  return ok(concatBytes(chunks));
}

const refuseIncomplete = (): Outcome<never> =>
  refuse("incomplete_body", "the connection ended before the whole body arrived", "Send it again.");

const refuseLate = (): Outcome<never> =>
  refuse(
    "request_timeout",
    "no more of the body arrived in time",
    "Send the body without pauses, or upload a large file in parts.",
  );

/** Decodes the bytes of a body as UTF-8. */
export function readUtf8(bytes: Uint8Array): Outcome<string> {
  const text = decodeUtf8(bytes);
  return text === undefined
    ? refuse("bad_encoding", "the body is not UTF-8", "Send the text in UTF-8.")
    : ok(text);
}

/** Reads the text of a YAML or JSON body. */
export async function readText(
  request: Request,
  maxBytes: number = LIMITS.bodyBytes,
): Promise<Outcome<string>> {
  const type = readMediaType(request);
  if (type !== "" && !ACCEPTED_TYPES.includes(type))
    return refuse(
      "unsupported_media_type",
      "the media type of the body is not supported",
      "Send Content-Type: application/json or application/yaml.",
      { valid: TEXT_TYPES },
    );
  const charset = /;\s*charset="?([^";\s]+)/i.exec(request.headers.get("Content-Type") ?? "")?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset))
    return refuse("bad_encoding", "the body's charset is not UTF-8", "Send the text in UTF-8.");
  const bytes = await readBytes(request, maxBytes);
  if (!bytes.ok) return bytes;
  const text = readUtf8(bytes.value);
  if (!text.ok) return text;
  return text.value.trim() === "" ? refuseEmptyBody() : text;
}

const refuseEmptyBody = (): Outcome<never> =>
  refuse("empty_message", "the body is empty", "Send a YAML or JSON body.");

const MAX_OBJECT_BYTES = 64 * 1024;

/** Reads a body that is one map, and validates it against a schema. */
export async function readObject<T>(
  request: Request,
  schema: z.ZodType<T>,
  maxBytes: number = MAX_OBJECT_BYTES,
): Promise<Outcome<T>> {
  const documents = await readBodyDocuments(request, maxBytes);
  if (!documents.ok) return documents;
  const [first, ...others] = documents.value;
  if (others.length > 0)
    return refuse("bad_shape", "the body has several documents", "Send one map.");
  return parseWithSchema(schema, first.value, "bad_field");
}

/** Reads a body of one or several documents. */
export async function readBodyDocuments(
  request: Request,
  maxBytes: number,
): Promise<Outcome<[SourceDocument, ...SourceDocument[]]>> {
  const text = await readText(request, maxBytes);
  return text.ok ? readTextDocuments(text.value) : text;
}

function readTextDocuments(
  text: string,
  limits: TextLimits = LIMITS,
): Outcome<[SourceDocument, ...SourceDocument[]]> {
  const documents = readDocuments(text, limits);
  if (!documents.ok) return documents;
  const [first, ...others] = documents.value;
  if (!first) return refuseEmptyBody();
  for (const document of documents.value) {
    const control = checkControls(document.value, []);
    if (control) return fail(refuseBody([{ error: control, document }]));
  }
  return ok([first, ...others]);
}

/**
 * Reads a body that is one JSON object, whatever its media type says: clients that send JSON as text, as a form or
 * without a type exist. YAML is refused.
 */
export async function readJsonMap(
  request: Request,
  limits: TextLimits = LIMITS,
): Promise<Outcome<JsonMap>> {
  const bytes = await readBytes(request, limits.bodyBytes);
  if (!bytes.ok) return bytes;
  const text = readUtf8(bytes.value);
  if (!text.ok) return text;
  if (text.value.trim() === "") return refuseEmptyBody();
  const read = isJson(text.value) ? readTextDocuments(text.value, limits) : undefined;
  if (!read) return refuse("bad_json", "the body is not valid JSON", "Send one JSON object.");
  if (!read.ok) return read;
  const [{ value }, ...others] = read.value;
  return isMap(value) && others.length === 0
    ? ok(value)
    : refuse("bad_shape", "the body is not a JSON object", "Send one JSON object.");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Room for the names of all statuses. */
const MAX_REASON_CHARS = 400;

/** Validates the value with the schema; returns the first error with its path. */
export function parseWithSchema<T>(
  schema: z.ZodType<T>,
  value: Json | Record<string, string>,
  code: ErrorCode,
): Outcome<T> {
  const read = schema.safeParse(value);
  if (read.success) return ok(read.data);
  const [issue] = read.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])]
    .map(String)
    .join(".")
    .slice(0, LIMITS.nameChars);
  const valid = issue?.code === "invalid_value" ? issue.values.map(String) : undefined;
  return refuse(
    code,
    `${path === "" ? "the body" : path}: ${lowerFirst(issue?.message ?? "not valid").slice(0, MAX_REASON_CHARS)}`,
    getLengthHint(issue) ?? "GET /openapi.json describes what is accepted here.",
    { ...(path === "" ? {} : { path }), ...defined({ valid }) },
  );
}

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);
