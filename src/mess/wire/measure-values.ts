/** Checks values that were not read from a text for what the readers of a text check: size, encoding, nesting, keys. */
import { type MessError, type Outcome, refuse } from "../errors.ts";
import type { Json } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { fail, ok } from "../result.ts";
import { writePath } from "./body-errors.ts";
import { scanText } from "./syntax/scan-text.ts";
import {
  buildBrokenPairError,
  buildForbiddenKeyError,
  buildTooDeepError,
  FORBIDDEN_KEYS,
  type Path,
} from "./syntax/source-document.ts";

/**
 * Returns the length of all keys and texts in bytes, or the first error. A part that several values share is
 * counted once.
 */
export function measureValues(values: readonly Json[]): Outcome<number> {
  const walk = new ValueWalk();
  for (const value of values) {
    const error = walk.visit(value, [], 0);
    if (error) return fail(error);
  }
  return ok(walk.bytes);
}

const encoder = new TextEncoder();

class ValueWalk {
  bytes = 0;
  #textBytes = 0;
  readonly #visited = new Set<object>();

  visit(value: Json, path: Path, depth: number): MessError | undefined {
    if (typeof value === "string") return this.#count(value, path);
    if (typeof value !== "object" || value === null || this.#visited.has(value)) return undefined;
    this.#visited.add(value);
    if (depth >= LIMITS.depth) return buildTooDeepError({ path: writePath(path) });
    for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      if (FORBIDDEN_KEYS.includes(String(key)))
        return buildForbiddenKeyError(String(key), { path: writePath(path) });
      const error =
        (typeof key === "string" ? this.#count(key, path) : undefined) ??
        this.visit(member, [...path, key], depth + 1);
      if (error) return error;
    }
    return undefined;
  }

  #count(text: string, path: Path): MessError | undefined {
    if (!text.isWellFormed()) return buildBrokenPairError({ path: writePath(path) });
    const bytes = encoder.encode(text).length;
    this.bytes += bytes;
    this.#textBytes += bytes - countBase64(text);
    if (this.bytes <= LIMITS.bodyBytes && this.#textBytes <= LIMITS.textBytes) return undefined;
    return refuse(
      "too_large",
      `the message has more than ${LIMITS.textBytes / 1024} KB of text, or is larger than ${LIMITS.bodyBytes / 1024 / 1024} MB`,
      "Send less text in one message, or upload it as a file.",
    ).error;
  }
}

/** Characters in long runs of base64, which count as data and not as text. */
function countBase64(text: string): number {
  const scan = scanText(text);
  return scan.ok ? scan.value.runs.reduce((sum, [start, end]) => sum + end - start, 0) : 0;
}
