/** Any value that both YAML 1.2 core and JSON can express. */
export type Json = null | boolean | number | string | Json[] | JsonMap;
export type JsonMap = { [key: string]: Json };

export const isMap = (value: unknown): value is JsonMap =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a deep copy of plain data, in a fraction of the time of `structuredClone`. */
export function copyPlain<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyPlain) as T;
  if (typeof value !== "object" || value === null) return value;
  const copy = { ...value };
  for (const key of Object.keys(copy) as (keyof T)[])
    if (typeof copy[key] === "object") copy[key] = copyPlain(copy[key]);
  return copy;
}

/** Serializes to JSON with sorted keys at every depth, so that equal values have equal texts and digests. */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, nested: unknown) =>
    isMap(nested)
      ? Object.fromEntries(
          Object.entries(nested).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
        )
      : nested,
  );
}
