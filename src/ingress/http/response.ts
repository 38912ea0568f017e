/** Builds all HTTP responses from handler results and refusals, in the caller's format. */
import { ERRORS, type ErrorCode, type MessError } from "../../mess/errors.ts";
import type { Json } from "../../mess/json.ts";
import { isTreePath } from "../../mess/sources/tree/paths.ts";
import { writeYaml } from "../../mess/wire/serialize.ts";
import { type ResponseFormat, chooseFormat } from "./response-format.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";

/** A handler's result. A Response is returned unchanged: files and archives. */
export type HandlerResult = Response | ResponseData;

export interface ResponseData {
  /** Default: 200. */
  status?: 200 | 201 | 207;
  /** Plain data, written as JSON; also as YAML unless `yaml` has the text. */
  body: object;
  yaml?: () => string;
  headers?: Record<string, string>;
}

const CONTENT_TYPES: Readonly<Record<ResponseFormat, string>> = {
  json: "application/json; charset=utf-8",
  yaml: "application/yaml; charset=utf-8",
};

const writeBody = (format: ResponseFormat, body: object, yaml?: () => string): string =>
  format === "json" ? `${JSON.stringify(body)}\n` : (yaml?.() ?? writeYaml(body as Json));

export function buildResponse(format: ResponseFormat, answered: HandlerResult): Response {
  if (answered instanceof Response) return answered;
  const { status = 200, body, yaml, headers } = answered;
  return buildTextResponse(format, writeBody(format, body, yaml), headers, status);
}

const buildCommonHeaders = (format: ResponseFormat): Headers =>
  new Headers({ ...SECURITY_HEADERS, "Content-Type": CONTENT_TYPES[format], Vary: "Accept" });

/** Copying these takes half the time of setting each of them. */
const COMMON_HEADERS: Readonly<Record<ResponseFormat, Headers>> = {
  json: buildCommonHeaders("json"),
  yaml: buildCommonHeaders("yaml"),
};

/** Builds a response from a body that is written already. */
export function buildTextResponse(
  format: ResponseFormat,
  body: string | ReadableStream<Uint8Array>,
  headers: Record<string, string> = {},
  status: number = 200,
): Response {
  const response = new Response(body, { status, headers: COMMON_HEADERS[format] });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** Headers that tell the client how to recover from a refusal of this code. */
const HEADERS_BY_CODE: Partial<Record<ErrorCode, Record<string, string>>> = {
  unauthenticated: { "WWW-Authenticate": 'Bearer realm="mess"' },
  key_expired: { "WWW-Authenticate": 'Bearer realm="mess"' },
  rate_limited: { "Retry-After": "10" },
  index_unavailable: { "Retry-After": "5" },
};

/** Responds to a method that the path does not support, with the allowed ones. Also answers OPTIONS. */
export function refuseMethod(request: Request, methods: readonly string[]): Response {
  const headers = { Allow: [...new Set(methods)].toSorted().join(", ") };
  return request.method === "OPTIONS"
    ? new Response(null, { status: 204, headers })
    : buildRefusal(
        request,
        {
          code: "method_not_allowed",
          message: "method not allowed for this path",
          hint: `Use ${headers.Allow}.`,
        },
        headers,
      );
}

/** One line of plain text, for the paths of the message tree. */
const writePlainError = ({ code, message, hint }: MessError): string =>
  `error: ${code}: ${message}. ${hint}`.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ") + "\n";

export const PLAIN_TEXT_TYPE = "text/plain; charset=utf-8";

export function buildRefusal(
  request: Request,
  error: MessError,
  headers: Record<string, string> = {},
): Response {
  const isPlain = isTreePath(new URL(request.url).pathname);
  const format = chooseFormat(request.headers.get("Accept") ?? undefined) ?? "json";
  return new Response(isPlain ? writePlainError(error) : writeBody(format, { error }), {
    status: ERRORS[error.code],
    headers: {
      ...(isPlain
        ? { "Content-Type": PLAIN_TEXT_TYPE }
        : { "Content-Type": CONTENT_TYPES[format], Vary: "Accept" }),
      ...HEADERS_BY_CODE[error.code],
      ...(error.retry_after === undefined ? {} : { "Retry-After": String(error.retry_after) }),
      ...headers,
    },
  });
}
