/** Negotiates the response format: JSON unless the caller prefers YAML (decision 66). */

export type ResponseFormat = "json" | "yaml";

const OFFERED_FORMATS: readonly (readonly [ResponseFormat, readonly string[]])[] = [
  ["json", ["application/json", "text/json"]],
  ["yaml", ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"]],
];

interface MediaRange {
  type: string;
  quality: number;
}

const parseRanges = (accept: string): MediaRange[] =>
  accept.split(",").map((part) => {
    const [type, ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    const quality = weight === undefined ? 1 : Number(weight.slice(2));
    return { type: type ?? "", quality: Number.isNaN(quality) ? 0 : quality };
  });

/** Returns the quality value of the format, from the most specific matching range. */
function getQuality(types: readonly string[], ranges: readonly MediaRange[]): number {
  const typeRanges = types.map((type) => `${type.split("/")[0]}/*`);
  for (const names of [types, typeRanges, ["*/*"]]) {
    const named = ranges.filter(({ type }) => names.includes(type));
    if (named.length > 0) return Math.max(...named.map(({ quality }) => quality));
  }
  return 0;
}

/** A longer header is refused, and the refusal needs a format too. */
export const ACCEPT_CHARS = 2_048;

/** Returns the response format; undefined if the Accept header allows neither JSON nor YAML. */
export function chooseFormat(accept: string | undefined): ResponseFormat | undefined {
  if (accept === undefined || accept.trim() === "" || accept === "*/*") return "json";
  if (accept.length > ACCEPT_CHARS) return undefined;
  const ranges = parseRanges(accept);
  let best: ResponseFormat | undefined;
  let bestQuality = 0;
  for (const [format, types] of OFFERED_FORMATS) {
    const quality = getQuality(types, ranges);
    if (quality > bestQuality) [best, bestQuality] = [format, quality];
  }
  return best;
}

/** Whether a browser opens the address as a page: it accepts HTML and names neither API format. */
export function prefersHtml(accept: string | null): boolean {
  if (accept === null || accept.length > ACCEPT_CHARS) return false;
  const named = parseRanges(accept).map(({ type }) => type);
  return (
    named.includes("text/html") &&
    OFFERED_FORMATS.every(([, types]) => !types.some((type) => named.includes(type)))
  );
}
