/** Limits the length of all keys and texts of a payload, independent of their field. */
import type { Json } from "../json.ts";
import { buildTooLongHint } from "../lengths.ts";
import { LIMITS } from "../limits.ts";
import type { BodyError } from "./body-errors.ts";
import type { Path } from "./syntax/source-document.ts";

/**
 * Returns an error for the first key or text inside a payload that is longer than any field allows. Data URIs are
 * checked by the entries that hold them.
 */
export function checkLeafLengths(value: Json, path: Path): BodyError | undefined {
  if (typeof value === "string")
    return value.length > LIMITS.jsonTextChars && value.slice(0, 5).toLowerCase() !== "data:"
      ? buildTooLongError("a text", LIMITS.jsonTextChars, path)
      : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (typeof key === "string" && key.length > LIMITS.keyChars)
      return buildTooLongError("a key", LIMITS.keyChars, path);
    const error = checkLeafLengths(member, [...path, key]);
    if (error) return error;
  }
  return undefined;
}

const buildTooLongError = (what: string, maxChars: number, path: Path): BodyError => ({
  code: "too_large",
  message: `${what} is longer than ${maxChars} characters`,
  hint: `${buildTooLongHint(maxChars).slice(0, -1)}, or upload it as a file.`,
  path,
});
