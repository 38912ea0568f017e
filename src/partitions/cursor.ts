/** Cursors of lists: the position of the next page, opaque to the reader. */
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { stripEnd } from "../mess/strip.ts";

/** The last thread of the page: `updated` in milliseconds, and its ref. */
export type ListPosition = readonly [updated: number, ref: string];

const REF_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** Encodes the position as base64url. Refs are ASCII (decision 5), so `btoa` accepts them. */
export const writeCursor = ([updated, ref]: ListPosition): string =>
  stripEnd(
    btoa(JSON.stringify([updated, ref]))
      .replaceAll("+", "-")
      .replaceAll("/", "_"),
    "=",
  );

/** Decodes a cursor of `writeCursor`; refuses any other text with `bad_parameter`. */
export function readCursor(cursor: string): Outcome<ListPosition> {
  const position = decodeCursor(cursor);
  if (Array.isArray(position) && position.length === 2) {
    const [updated, ref] = position as unknown[];
    if (Number.isSafeInteger(updated) && typeof ref === "string" && REF_PATTERN.test(ref))
      return ok([updated as number, ref]);
  }
  return refuseCursor();
}

export const refuseCursor = () =>
  refuse(
    "bad_parameter",
    "the cursor is not valid",
    "Pass next_cursor of the previous page unchanged, or leave it out to start again.",
    { path: "cursor" },
  );

function decodeCursor(cursor: string): unknown {
  if (!/^[A-Za-z0-9_-]{1,1024}$/.test(cursor)) return undefined;
  try {
    return JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return undefined;
  }
}
