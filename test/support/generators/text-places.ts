/** Walks a zod schema and lists every place in a value where a text can be. */
import type * as z from "zod";

export interface TextPlace {
  /** Path of the text; lists are entered at index 0, records at a generated key. */
  path: readonly (string | number)[];
  /** `any` if the schema does not check the inside, where a longer text is allowed. */
  kind: "text" | "any";
}

/** The key for a place in a record, or for a field that no schema names. */
export const SOME_KEY = "something";

type Def = { type: string } & Record<string, unknown>;

const getDef = (schema: unknown): Def => (schema as { def: Def }).def;

/** Schemas that accept no text, or only texts of a fixed list. */
const TEXTLESS = [
  "number",
  "int",
  "boolean",
  "null",
  "undefined",
  "literal",
  "enum",
  "never",
  "date",
];
/** Schemas that pass their input to one inner schema. */
const WRAPPERS = [
  "optional",
  "nullable",
  "default",
  "prefault",
  "readonly",
  "nonoptional",
  "catch",
];

export function listTextPlaces(schema: z.ZodType, path: TextPlace["path"] = []): TextPlace[] {
  const def = getDef(schema);
  const listInner = (one: unknown, ...more: (string | number)[]) =>
    listTextPlaces(one as z.ZodType, [...path, ...more]);
  if (TEXTLESS.includes(def.type)) return [];
  if (WRAPPERS.includes(def.type)) return listInner(def["innerType"]);
  switch (def.type) {
    case "string":
    case "template_literal":
      return [{ path, kind: "text" }];
    case "object": {
      const shape = def["shape"] as Record<string, unknown>;
      const known = Object.entries(shape).flatMap(([key, field]) => listInner(field, key));
      const rest = def["catchall"];
      return rest === undefined ? known : [...known, ...listInner(rest, SOME_KEY)];
    }
    case "array":
      return listInner(def["element"], 0);
    case "record":
      return listInner(def["valueType"], SOME_KEY);
    case "union":
      return (def["options"] as unknown[]).flatMap((option) => listInner(option));
    case "pipe":
      // The first part decides what is accepted; a bare transform accepts anything.
      return getDef(def["in"]).type === "transform" ? listInner(def["out"]) : listInner(def["in"]);
    default:
      return [{ path, kind: "any" }];
  }
}

/** A copy of `value` with `put` at the path. */
export function withAt(value: unknown, path: TextPlace["path"], put: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return put;
  if (typeof step === "number") {
    const list = Array.isArray(value) ? value : [];
    return [...list.slice(0, step), withAt(list[step], rest, put), ...list.slice(step + 1)];
  }
  const map = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  return { ...map, [step]: withAt((map as Record<string, unknown>)[step], rest, put) };
}
