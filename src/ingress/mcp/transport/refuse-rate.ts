/** Refuses a call beyond a rate: as a result of the tool where a tool was called, since a model only reads results. */
import * as z from "zod";
import type { MessError } from "../../../mess/errors.ts";
import { ERRORS } from "../../../mess/errors.ts";
import { boundedTextSchema } from "../../../mess/lengths.ts";
import { LIMITS } from "../../../mess/limits.ts";
import { readUtf8, readBytes } from "../../http/request-body.ts";
import { buildErrorResult } from "../tool-errors.ts";

const toolCallSchema = z.object({
  id: z.union([boundedTextSchema(LIMITS.nameChars), z.number()]),
  method: z.literal("tools/call"),
});

export async function refuseRate(request: Request, error: MessError): Promise<Response> {
  const id = await readToolCallId(request);
  if (id !== undefined)
    return Response.json({ jsonrpc: "2.0", id, result: buildErrorResult(error) });
  const { code, message, hint, retry_after: retrySeconds } = error;
  return Response.json(
    { jsonrpc: "2.0", id: null, error: { code: -32_000, message: `${message}. ${hint}` } },
    {
      status: ERRORS[code],
      headers: retrySeconds === undefined ? {} : { "Retry-After": String(retrySeconds) },
    },
  );
}

/** The id of the JSON-RPC request, if it calls a tool. */
async function readToolCallId(request: Request): Promise<string | number | undefined> {
  const bytes = await readBytes(request, LIMITS.textBytes);
  const text = bytes.ok ? readUtf8(bytes.value) : bytes;
  if (!text.ok) return undefined;
  try {
    return toolCallSchema.parse(JSON.parse(text.value)).id;
  } catch {
    return undefined;
  }
}
