/** One document of a sender's text: its value, and the position of each part in the text. */
import { type MessError, type SourcePlace, refuse } from "../../errors.ts";
import type { Json } from "../../json.ts";
import { LIMITS } from "../../limits.ts";

export type Path = readonly (string | number)[];

export interface SourceDocument {
  value: Json;
  /** Returns the position of the part at the path, or of the nearest existing part around it. */
  locate(path: Path): { line: number; column: number } | undefined;
}

/** For values that are not read from a text: their errors have a path, but no line and column. */
export const NO_SOURCE: Pick<SourceDocument, "locate"> = { locate: () => undefined };

/** Keys that could change the prototype of a JavaScript object (prototype pollution). */
export const FORBIDDEN_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];

export const buildForbiddenKeyError = (key: string, place: SourcePlace): MessError =>
  refuse("forbidden_key", `the key ${key} is not accepted`, "Use another name for this key.", place)
    .error;

export const buildDuplicateKeyError = (place: SourcePlace): MessError =>
  refuse(
    "duplicate_key",
    "a key is given twice in the same map",
    "Give each key once; put several values into a list.",
    place,
  ).error;

export const buildBrokenPairError = (place: SourcePlace): MessError =>
  refuse(
    "bad_encoding",
    "a text contains half of a surrogate pair",
    "Write the whole character, or leave it out.",
    place,
  ).error;

export const buildTooDeepError = (place: SourcePlace, depth: number = LIMITS.depth): MessError =>
  refuse(
    "too_deep",
    `maps and lists are nested more than ${depth} levels deep`,
    "Flatten the message, or attach the structure as a JSON file.",
    place,
  ).error;

/** Returns the number, or its text where a double would change the integer or JSON cannot express it. */
export function toExactNumber(value: number, source: string): number | string {
  if (!Number.isFinite(value)) return source;
  if (/^[-+]?\d+$/.test(source)) {
    const padded = /^[-+]?0\d/.test(source);
    if (padded || (!Number.isSafeInteger(value) && String(value) !== source)) return source;
  }
  return value === 0 ? 0 : value;
}
