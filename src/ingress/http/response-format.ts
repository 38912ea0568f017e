/** What the caller reads: JSON unless it asks for YAML (decision 66). */

export type Format = "json" | "yaml";

const OFFERED: readonly (readonly [Format, readonly string[]])[] = [
  ["json", ["application/json", "text/json"]],
  ["yaml", ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"]],
];

interface Range {
  type: string;
  quality: number;
}

const rangesOf = (accept: string): Range[] =>
  accept.split(",").map((part) => {
    const [type, ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    const quality = weight === undefined ? 1 : Number(weight.slice(2));
    return { type: type ?? "", quality: Number.isNaN(quality) ? 0 : quality };
  });

/** How much the caller wants the format, by the ranges that name it most closely. */
function qualityOf(types: readonly string[], ranges: readonly Range[]): number {
  const families = types.map((type) => `${type.split("/")[0]}/*`);
  for (const names of [types, families, ["*/*"]]) {
    const named = ranges.filter(({ type }) => names.includes(type));
    if (named.length > 0) return Math.max(...named.map(({ quality }) => quality));
  }
  return 0;
}

/** A longer header is refused, and its refusal has a format too. */
export const ACCEPT_CHARS = 2_048;

/** The format to answer in; undefined where the header takes neither. */
export function formatOf(accept: string | undefined): Format | undefined {
  if (accept === undefined || accept.trim() === "" || accept === "*/*") return "json";
  if (accept.length > ACCEPT_CHARS) return undefined;
  const ranges = rangesOf(accept);
  let best: Format | undefined;
  let most = 0;
  for (const [format, types] of OFFERED) {
    const quality = qualityOf(types, ranges);
    if (quality > most) [best, most] = [format, quality];
  }
  return best;
}
