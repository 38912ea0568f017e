/** Restores the 2025 error code for a missing resource, which the SDK replaces by the code of the newer protocol. */
import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import { isMap } from "../../../mess/json.ts";
import { readBodyVersion } from "./normalize-headers.ts";

/** Errors are short; a longer response is a resource. */
const MAX_ERROR_CHARS = 20_000;

const RESOURCE_METHODS = ["resources/read", "resources/subscribe"];

/** True if the response to this request may have the newer code. */
export const isLegacyRead = (body: unknown): boolean =>
  isMap(body) &&
  RESOURCE_METHODS.some((method) => method === body["method"]) &&
  readBodyVersion(body) === undefined;

/** @param response of a JSON-RPC message, as JSON or as a stream of events that ends */
export async function toLegacyError(response: Response): Promise<Response> {
  const text = await response.text();
  const changed =
    text.length > MAX_ERROR_CHARS
      ? text
      : text.replaceAll(/^(data: )?(\{.*\})$/gm, (_line, prefix = "", json: string) => {
          const message: unknown = JSON.parse(json);
          return isMissingResource(message)
            ? `${prefix}${JSON.stringify(withLegacyCode(message))}`
            : `${prefix}${json}`;
        });
  const headers = new Headers(response.headers);
  headers.delete("Content-Length");
  return new Response(changed, { status: response.status, headers });
}

interface ErrorMessage {
  error: object;
}

/** An invalid URI has the same code and a reason. */
function isMissingResource(message: unknown): message is ErrorMessage {
  const error = isMap(message) ? message["error"] : undefined;
  if (!isMap(error) || error["code"] !== ProtocolErrorCode.InvalidParams) return false;
  const { data } = error;
  return isMap(data) && "uri" in data && !("reason" in data);
}

const withLegacyCode = (message: ErrorMessage) => ({
  ...message,
  error: { ...message.error, code: ProtocolErrorCode.ResourceNotFound },
});
