/** Any value that YAML 1.2 core and JSON have in common. */
export type Json = null | boolean | number | string | Json[] | JsonMap;
export type JsonMap = { [key: string]: Json };

export const isMap = (value: unknown): value is JsonMap =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** JSON with keys in one order at every depth, so that equal values have equal digests. */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, nested: unknown) =>
    isMap(nested)
      ? Object.fromEntries(
          Object.entries(nested).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
        )
      : nested,
  );
}
