/** Converts a refusal into an error of `resources/read`. Missing resources and those of others give the same error. */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import type { MessError } from "../../../mess/errors.ts";
import { formatError } from "../tool-errors.ts";

export function throwResourceError(uri: URL, error: MessError): never {
  if (error.code === "not_found")
    throw new ResourceNotFoundError(uri.href, error.valid ? formatError(error) : undefined);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, formatError(error));
}
