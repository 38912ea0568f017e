/**
 * Reads the entries of a `context` or `content` list (protocol §2) from every accepted form into the normal form
 * (decisions 52–60). An entry is a text or a map of one kind.
 */
import { defined } from "../../defined.ts";
import * as z from "zod";
import { isMap, type Json, type JsonMap } from "../../json.ts";
import { LIMITS } from "../../limits.ts";
import { checkChars, type EntryError, failAt, isMedia, readMedia } from "./media.ts";
import { isTarget } from "../../names.ts";
import { ok, type Result } from "../../result.ts";

export type Entry = string | { [key: string]: Json };

type EntryResult = Result<Json, EntryError>;
type Scalar = string | number | boolean;
const isScalar = (value: Json | undefined): value is Scalar =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** Readers of the known kinds other than media; entries of unknown kinds are kept unchanged. */
const READERS: Readonly<Record<string, (value: Json) => EntryResult>> = {
  text: (value) => (isScalar(value) ? readWords(String(value)) : failExpected("a text")),
  url: readUrl,
  json: ok,
  structured: ok,
  ref: readRef,
  embedding: (value) =>
    Array.isArray(value) && value.every((part) => typeof part === "number")
      ? ok(value)
      : failExpected("a list of numbers"),
  confirmation: readConfirmation,
  error: readError,
  location: readLocation,
};

export const ENTRY_KINDS: readonly string[] = Object.keys(READERS);

const isKnownKind = (key: string): boolean => isMedia(key) || Object.hasOwn(READERS, key);
const failExpected = (expected: string, path: string[] = []) =>
  failAt(path, "bad_field", `expected ${expected}`, `Give ${expected}.`);

function readWords(text: string, path: string[] = []): Result<string, EntryError> {
  return checkChars(text, LIMITS.freeTextChars, path, "too_large") ?? ok(text);
}

function readUrl(value: Json): EntryResult {
  if (!isScalar(value)) return isMap(value) ? ok(value) : failExpected("a URL");
  const url = String(value).trim();
  return checkChars(url, LIMITS.linkChars, []) ?? ok(url);
}

function readRef(value: Json): EntryResult {
  const long = checkChars(value, LIMITS.targetChars, [], "bad_ref");
  if (long) return long;
  return isScalar(value) && isTarget(String(value))
    ? ok(String(value))
    : failAt([], "bad_ref", "not a reference", "Give one ref or one id of an earlier request.");
}

const TRUE_WORDS = ["true", "yes"];
const FALSE_WORDS = ["false", "no"];
function readFlag(value: Json | undefined): boolean | undefined {
  const text = isScalar(value) ? String(value).trim().toLowerCase() : "";
  return TRUE_WORDS.includes(text) ? true : FALSE_WORDS.includes(text) ? false : undefined;
}

function readConfirmation(value: Json): EntryResult {
  const confirmation = isMap(value) ? value.confirmed : value;
  const path = isMap(value) ? ["confirmed"] : [];
  const long = checkChars(confirmation, LIMITS.wordChars, path);
  if (long) return long;
  const plain = readFlag(value);
  if (plain !== undefined) return ok(plain);
  const confirmed = isMap(value) ? readFlag(value.confirmed) : undefined;
  return isMap(value) && confirmed !== undefined
    ? ok({ ...value, confirmed })
    : failExpected("true, false, or a map with confirmed", isMap(value) ? ["confirmed"] : []);
}

function readError(value: Json): EntryResult {
  if (isScalar(value)) {
    const message = readWords(String(value));
    return message.ok ? ok({ message: message.value }) : message;
  }
  return isMap(value) && (isScalar(value.message) || isScalar(value.code))
    ? ok(value)
    : failExpected("a text, or a map with code and message");
}

const COORDINATE_RANGES: Readonly<Record<string, readonly [lowest: number, highest: number]>> = {
  lat: [-90, 90],
  lng: [-180, 180],
  accuracy: [0, Infinity],
  altitude: [-Infinity, Infinity],
};

function readLocation(value: Json): EntryResult {
  if (isScalar(value)) {
    const name = readWords(String(value));
    return name.ok ? ok({ name: name.value }) : name;
  }
  if (!isMap(value)) return failExpected("a location: a name, or a map with lat and lng");
  const location: JsonMap = { ...value };
  for (const [key, [lowest, highest]] of Object.entries(COORDINATE_RANGES)) {
    const given = location[key];
    if (given === undefined) continue;
    const long = checkChars(given, LIMITS.numberChars, [key]);
    if (long) return long;
    const number = typeof given === "string" && given.trim() !== "" ? Number(given) : given;
    if (typeof number !== "number" || !(number >= lowest && number <= highest))
      return failExpected(`a number${key.startsWith("l") ? ` from ${lowest} to ${highest}` : ""}`, [
        key,
      ]);
    location[key] = number;
  }
  return ok(location);
}

/** Reads one item of a list; a map with several known kinds becomes several entries. */
function readEntry(value: Json): Result<Entry[], EntryError> {
  if (value === null) return ok([]);
  if (isScalar(value)) return wrapEntry(readWords(String(value)));
  if (!isMap(value)) return failExpected("an entry: a text, or a map such as {image: https://…}");
  const pairs = Object.entries(value);
  const [first, ...others] = pairs;
  if (!first) return failExpected("an entry, not an empty map");
  if (others.length === 0) return readPair(...first);
  if (pairs.every(([key]) => isKnownKind(key))) {
    const read: Entry[] = [];
    for (const pair of pairs) {
      const one = readPair(...pair);
      if (!one.ok) return one;
      read.push(...one.value);
    }
    return ok(read);
  }
  return readDescribed(value) ?? ok([value]);
}

/** Reads `{image: https://…, name: fridge}`, where the description is beside the media key. */
function readDescribed(value: JsonMap): Result<Entry[], EntryError> | undefined {
  const [kind, ...more] = Object.keys(value).filter(isMedia);
  if (kind === undefined || more.length > 0) return undefined;
  const { [kind]: source, ...details } = value;
  if (typeof source !== "string") return undefined;
  return readPair(kind, { uri: source, ...details });
}

function readPair(key: string, value: Json): Result<Entry[], EntryError> {
  const reader = isMedia(key) ? readMedia : Object.hasOwn(READERS, key) ? READERS[key] : undefined;
  if (reader) {
    const read = reader(value);
    return read.ok
      ? ok([{ [key]: read.value }])
      : { ok: false, error: { ...read.error, path: [key, ...read.error.path] } };
  }
  // YAML reads the sentence `Note: chicken` as a map; it is a text with a colon (decision 57).
  if (value === null) return ok([`${key}:`]);
  return isScalar(value) ? wrapEntry(readWords(`${key}: ${value}`, [key])) : ok([{ [key]: value }]);
}

const wrapEntry = (read: Result<string, EntryError>): Result<Entry[], EntryError> =>
  read.ok ? ok([read.value]) : read;

export const isMediaEntry = (entry: Entry): boolean =>
  typeof entry === "object" && isMedia(Object.keys(entry)[0] ?? "");

/** Schema of the list of entries of `context` or `content`; a single entry is accepted as a list of one. */
export const entriesSchema: z.ZodType<Entry[]> = z.unknown().transform((value, ctx): Entry[] => {
  const refuse = (error: EntryError) => {
    const { code, message, hint, path, valid } = error;
    ctx.issues.push({
      code: "custom",
      message,
      path,
      params: { code, hint, ...defined({ valid }) },
      input: value,
    });
  };
  const single = !Array.isArray(value);
  const list = (single ? [value] : value) as Json[];
  const read: Entry[] = [];
  for (const [index, item] of list.entries()) {
    const entry = readEntry(item);
    if (entry.ok) read.push(...entry.value);
    else refuse({ ...entry.error, path: single ? entry.error.path : [index, ...entry.error.path] });
  }
  if (read.filter(isMediaEntry).length > LIMITS.attachmentsPerMessage)
    refuse({
      code: "too_large",
      message: `more than ${LIMITS.attachmentsPerMessage} files`,
      hint: "Send the files in several messages.",
      path: [],
    });
  return read;
});
