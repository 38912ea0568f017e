/** The query parameters of the message tree. */
import * as z from "zod";
import { boundedTextSchema } from "../../../../mess/lengths.ts";
import { LIMITS } from "../../../../mess/limits.ts";
import { SOURCE_LIMITS } from "../../../../mess/sources/vocabulary.ts";
import { cursorSchema, listCursor, numberSchema } from "../../parameters.ts";
import { MAX_WAIT_SECONDS } from "../../../../mess/wait-limits.ts";

const timeoutSchema = numberSchema(0, MAX_WAIT_SECONDS).default(MAX_WAIT_SECONDS);

export const pageQuerySchema = z.strictObject({
  limit: numberSchema(1, SOURCE_LIMITS.pageMessages).default(SOURCE_LIMITS.pageMessages),
  cursor: listCursor,
});
export const newQuerySchema = z.strictObject({
  /** Id of the last message that the caller knows. */
  after: boundedTextSchema(LIMITS.nameChars).exactOptional(),
  timeout: timeoutSchema,
});
export const notifyQuerySchema = z.strictObject({
  /** The cursor of the answer before; `cursor` is another name of it. */
  after: cursorSchema,
  cursor: cursorSchema,
  timeout: timeoutSchema,
});

/** HEAD never waits. */
export const toWaitMs = ({ method }: Request, seconds: number): number =>
  method === "HEAD" ? 0 : seconds * 1_000;
