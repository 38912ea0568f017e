/** References `${NAME}` to secrets in a configuration. Pure. */
import { isMap, type Json, type JsonMap } from "../../mess/json.ts";

const REFERENCE_PATTERN = /\$\{([A-Za-z_]\w{0,127})\}/g;

/** Names that are referenced as `${NAME}` anywhere in the value, each once. */
export const findReferences = (value: Json | undefined): string[] =>
  value === undefined
    ? []
    : [...new Set([...JSON.stringify(value).matchAll(REFERENCE_PATTERN)].map(([, name]) => name!))];

/** Applies `replace` to each part of the text that is not a reference. */
export const replaceLiterals = (text: string, replace: (literal: string) => string): string =>
  text
    .split(REFERENCE_PATTERN)
    .map((piece, index) =>
      index % 2 === 1 ? `\${${piece}}` : piece.trim() === "" ? piece : replace(piece),
    )
    .join("");

/** Fills in the references. A text with an unknown reference is omitted together with its key. */
export function fillReferences(value: Json, known: ReadonlyMap<string, string>): Json | undefined {
  if (typeof value === "string") {
    if ([...value.matchAll(REFERENCE_PATTERN)].some(([, name]) => !known.has(name!)))
      return undefined;
    return value.replaceAll(REFERENCE_PATTERN, (_all, name: string) => known.get(name)!);
  }
  if (Array.isArray(value)) {
    return value.map((one) => fillReferences(one, known)).filter((one) => one !== undefined);
  }
  if (!isMap(value)) return value;
  const filled: JsonMap = {};
  for (const [key, one] of Object.entries(value)) {
    const inner = fillReferences(one, known);
    if (inner !== undefined) filled[key] = inner;
  }
  return filled;
}
