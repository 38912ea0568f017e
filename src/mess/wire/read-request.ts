/** Reads a request outside of a message: in a schedule or in a suggestion. */
import { readBlock } from "./read-block.ts";
import type { Outcome } from "../errors.ts";
import { refuseBody } from "./body-errors.ts";
import type { Json } from "../json.ts";
import { fail, ok } from "../result.ts";
import type { Request } from "./schema.ts";
import { NO_SOURCE, type Path } from "./syntax/source-document.ts";

/** Reads any accepted form of a `request` block into the normal form; errors are reported below `path`. */
export function readRequest(raw: Json, path: Path): Outcome<Request> {
  const read = readBlock("request", raw, path);
  if (!read.ok)
    return fail(refuseBody(read.error.map((error) => ({ error, document: NO_SOURCE }))));
  const { block } = read.value;
  if (block.type !== "request") throw new Error("a request was read as something else");
  return ok(block.body);
}
