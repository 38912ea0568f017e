/** Reads the `Range` and precondition headers of a download (RFC 9110, sections 13 and 14). */

export interface ByteRange {
  offset: number;
  length: number;
}

/**
 * Reads the range that a header requests of a file of `size` bytes. A malformed header, another unit or several
 * ranges give the whole file, as the RFC allows.
 */
export function readRange(
  header: string | null,
  size: number,
): ByteRange | "whole" | "unsatisfiable" {
  const found = /^bytes\s*=\s*(?:(\d+)\s*)?-\s*(\d*)$/i.exec(header?.trim() ?? "");
  if (!found) return "whole";
  const [, first = "", last = ""] = found;
  if (first === "") return last === "" ? "whole" : readSuffixRange(Number(last), size);
  const offset = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < offset) return "whole";
  return offset >= size ? "unsatisfiable" : { offset, length: end - offset + 1 };
}

function readSuffixRange(suffixBytes: number, size: number): ByteRange | "unsatisfiable" {
  const length = Math.min(suffixBytes, size);
  return length === 0 ? "unsatisfiable" : { offset: size - length, length };
}

/** True when `If-None-Match` contains the tag (weak comparison). */
export const matchesEtag = (header: string | null, tag: string): boolean =>
  (header ?? "")
    .split(",")
    .map((part) => part.trim())
    .some((part) => part === "*" || part.replace(/^W\//, "") === tag);

/** True when a range may be served: `If-Range` is absent or equals the tag (strong comparison). */
export const isRangeCurrent = (ifRange: string | null, tag: string): boolean =>
  ifRange === null || ifRange.trim() === tag;
