/**
 * Reads JSON bodies with the engine's parser, then scans the text once for what the parser does not report:
 * repeated and forbidden keys, depth, numbers that would lose digits. It does not recurse.
 */
import type { MessError, Outcome } from "../../errors.ts";
import type { Json } from "../../json.ts";
import { LIMITS } from "../../limits.ts";
import { fail, ok } from "../../result.ts";
import { getPlaceAt } from "./scan-text.ts";
import {
  buildBrokenPairError,
  buildDuplicateKeyError,
  toExactNumber,
  FORBIDDEN_KEYS,
  buildForbiddenKeyError,
  type Path,
  type SourceDocument,
  buildTooDeepError,
} from "./source-document.ts";

interface Frame {
  /** A map, not a list. */
  map: boolean;
  index: number;
}

interface Visitor {
  /** A member or an item begins. `depth` is the number of containers around its container. */
  entry?(depth: number, key: string | number, offset: number): boolean;
  /** A container opens inside `depth` others. */
  open?(depth: number, offset: number): boolean;
  text?(raw: string, offset: number): boolean;
  number?(raw: string): boolean;
}

const NUMBER_PATTERN = /-?\d[\d.eE+-]*/y;

/** Returns the index of the quote that ends the string starting at `start`. */
function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return end;
  }
}

/** Walks text that is valid JSON until a visitor returns false. */
function walkJson(text: string, visitor: Visitor): void {
  const stack: Frame[] = [];
  let expectKey = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 32 || code === 58) continue;
    const frame = stack.at(-1);
    if (code === 125 || code === 93) {
      stack.pop();
      expectKey = false;
      continue;
    }
    if (code === 44) {
      expectKey = frame?.map ?? false;
      if (frame) frame.index++;
      continue;
    }
    if (expectKey || (frame && !frame.map)) {
      const end = expectKey ? findStringEnd(text, at) : at;
      const key = expectKey ? (JSON.parse(text.slice(at, end + 1)) as string) : frame!.index;
      if (visitor.entry?.(stack.length - 1, key, at) === false) return;
      if (expectKey) {
        if (visitor.text?.(text.slice(at, end + 1), at) === false) return;
        expectKey = false;
        at = end;
        continue;
      }
    }
    if (code === 123 || code === 91) {
      if (visitor.open?.(stack.length, at) === false) return;
      stack.push({ map: code === 123, index: 0 });
      expectKey = code === 123;
    } else if (code === 34) {
      const end = findStringEnd(text, at);
      if (visitor.text?.(text.slice(at, end + 1), at) === false) return;
      at = end;
    } else if (code === 45 || (code >= 48 && code <= 57)) {
      NUMBER_PATTERN.lastIndex = at;
      const raw = NUMBER_PATTERN.exec(text)![0];
      if (visitor.number?.(raw) === false) return;
      at += raw.length - 1;
    } else {
      // true, false or null
      at += code === 102 ? 4 : 3;
    }
  }
}

/**
 * Reads the document of a JSON body. Undefined where the text is not JSON, or where it must be read as YAML to lose
 * nothing: a repeated `MESS` key (decision 52), or a number that a double would change.
 */
export function readJson(text: string): Outcome<SourceDocument[]> | undefined {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  let firstError: MessError | undefined;
  let inexact = false;
  const stop = (error: MessError): false => {
    firstError = error;
    return false;
  };
  const seen: Set<string>[] = [];
  walkJson(text, {
    open(depth, offset) {
      seen[depth] = new Set();
      return depth < LIMITS.depth || stop(buildTooDeepError(getPlaceAt(text, offset)));
    },
    entry(depth, key, offset) {
      if (typeof key === "number") return true;
      if (FORBIDDEN_KEYS.includes(key))
        return stop(buildForbiddenKeyError(key, getPlaceAt(text, offset)));
      if (!seen[depth]!.has(key)) {
        seen[depth]!.add(key);
        return true;
      }
      inexact = depth === 0 && key === "MESS";
      return inexact ? false : stop(buildDuplicateKeyError(getPlaceAt(text, offset)));
    },
    text(raw, offset) {
      return (
        !raw.includes("\\u") ||
        (JSON.parse(raw) as string).isWellFormed() ||
        stop(buildBrokenPairError(getPlaceAt(text, offset)))
      );
    },
    number(raw) {
      inexact = toExactNumber(Number(raw), raw) !== Number(raw) || Object.is(Number(raw), -0);
      return !inexact;
    },
  });
  if (firstError) return fail(firstError);
  return inexact ? undefined : ok([{ value, locate: (path) => locateJson(text, path) }]);
}

function locateJson(text: string, path: Path): { line: number; column: number } {
  let found = text.search(/\S/);
  let matched = 0;
  walkJson(text, {
    entry(depth, key, offset) {
      if (depth < matched) return false;
      if (depth > matched || key !== path[depth]) return true;
      found = offset;
      matched++;
      return matched < path.length;
    },
  });
  return getPlaceAt(text, found);
}
