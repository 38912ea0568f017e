/** References `${NAME}` to secrets, as they stand in a configuration. Pure. */
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";

const REFERENCE = /\$\{([A-Za-z_]\w{0,127})\}/g;

/** Names that stand as `${NAME}` anywhere in the value, each once. */
export const findReferences = (value: Json | undefined): string[] =>
  value === undefined
    ? []
    : [...new Set([...JSON.stringify(value).matchAll(REFERENCE)].map(([, name]) => name!))];

/** The text with `replace` called for each piece of it that is no reference. */
export const literalPieces = (text: string, replace: (literal: string) => string): string =>
  text
    .split(REFERENCE)
    .map((piece, index) =>
      index % 2 === 1 ? `\${${piece}}` : piece.trim() === "" ? piece : replace(piece),
    )
    .join("");

/** The value with references filled in; a text with one that is not known is left out, together with its key. */
export function fill(value: Json, known: ReadonlyMap<string, string>): Json | undefined {
  if (typeof value === "string") {
    if ([...value.matchAll(REFERENCE)].some(([, name]) => !known.has(name!))) return undefined;
    return value.replaceAll(REFERENCE, (_all, name: string) => known.get(name)!);
  }
  if (Array.isArray(value)) {
    return value.map((one) => fill(one, known)).filter((one) => one !== undefined);
  }
  if (!isMap(value)) return value;
  const filled: JsonMap = {};
  for (const [key, one] of Object.entries(value)) {
    const inner = fill(one, known);
    if (inner !== undefined) filled[key] = inner;
  }
  return filled;
}
