/** Reads values of JSON by dotted paths. */
import { isMap, type Json } from "../../mess/json.ts";

/** The value at `a.b.0.c`, where numbers are positions of a list; undefined if there is none. */
export function readPath(json: Json, path: string): Json | undefined {
  let value: Json | undefined = json;
  for (const key of path.split(".")) {
    if (Array.isArray(value)) value = /^\d{1,6}$/.test(key) ? value[Number(key)] : undefined;
    else value = isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

/** A value as text: lists and maps as JSON; undefined for null and empty texts. */
export function toText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
  return text.trim() === "" ? undefined : text.trim().toWellFormed();
}
