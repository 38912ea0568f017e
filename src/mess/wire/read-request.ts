/** Reads a request outside of a message: in a schedule or in a suggestion. */
import { readBlock } from "./read-block.ts";
import type { MessError, Outcome } from "../errors.ts";
import { refuseBody } from "./body-errors.ts";
import type { Json } from "../json.ts";
import { fail, ok } from "../result.ts";
import type { Request } from "./schema.ts";
import type { Path } from "./source-document.ts";

/** The request is not a text, so there are no lines and columns. */
const NO_SOURCE = { locate: () => ({ line: 0, column: 0 }) };

const stripPlace = ({ line: _line, column: _column, more, ...error }: MessError): MessError => ({
  ...error,
  ...(more === undefined ? {} : { more: more.map(stripPlace) }),
});

/** Reads any accepted form of a `request` block into the normal form; errors are reported below `path`. */
export function readRequest(raw: Json, path: Path): Outcome<Request> {
  const read = readBlock("request", raw, path);
  if (!read.ok)
    return fail(
      stripPlace(refuseBody(read.error.map((error) => ({ error, document: NO_SOURCE })))),
    );
  const { block } = read.value;
  if (block.type !== "request") throw new Error("a request was read as something else");
  return ok(block.body);
}
