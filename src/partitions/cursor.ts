/** A place in a list, as its readers carry it from page to page: opaque to them. */
import { type Outcome, refuse } from "../mess/errors.ts";
import { ok } from "../mess/result.ts";
import { stripEnd } from "../mess/strip.ts";

/** The last thread that was shown: `updated` in milliseconds, then its ref. */
export type ListPosition = readonly [updated: number, ref: string];

const REF_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** Base64url of the place, which holds nothing but ASCII (decision 5). */
export const writeCursor = ([updated, ref]: ListPosition): string =>
  stripEnd(
    btoa(JSON.stringify([updated, ref]))
      .replaceAll("+", "-")
      .replaceAll("/", "_"),
    "=",
  );

/** The place of a cursor that `writeCursor` made; any other text is refused with `bad_parameter`. */
export function readCursor(cursor: string): Outcome<ListPosition> {
  const position = decodeCursor(cursor);
  if (Array.isArray(position) && position.length === 2) {
    const [updated, ref] = position as unknown[];
    if (Number.isSafeInteger(updated) && typeof ref === "string" && REF_PATTERN.test(ref))
      return ok([updated as number, ref]);
  }
  return refuse(
    "bad_parameter",
    "the cursor is not one of a list",
    "Pass next_cursor as it was given, or leave it out to start anew.",
    { path: "cursor" },
  );
}

function decodeCursor(cursor: string): unknown {
  if (!/^[A-Za-z0-9_-]{1,1024}$/.test(cursor)) return undefined;
  try {
    return JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return undefined;
  }
}
