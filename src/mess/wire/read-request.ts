/** One request that stands outside a message: in a schedule, or in what a suggestion proposes. */
import { readBlock } from "./read-block.ts";
import type { MessError, Outcome } from "../errors.ts";
import { refuseBody } from "./body-errors.ts";
import type { Json } from "../json.ts";
import { fail, ok } from "../result.ts";
import type { Request } from "./schema.ts";
import type { Path } from "./source-document.ts";

/** There is no text of its own whose lines could be counted. */
const NO_SOURCE = { locate: () => ({ line: 0, column: 0 }) };

const stripPlace = ({ line: _line, column: _column, more, ...error }: MessError): MessError => ({
  ...error,
  ...(more === undefined ? {} : { more: more.map(stripPlace) }),
});

/** The request in its normal form, read from any form that a `request` block may have; `path` leads to it. */
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
