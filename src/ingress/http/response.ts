/** Answers and refusals as HTTP responses, in the caller's format. Nothing else makes a refusal into a response. */
import { ERRORS, type ErrorCode, type MessError } from "../../mess/errors.ts";
import type { Json } from "../../mess/json.ts";
import { writeYaml } from "../../mess/wire/serialize.ts";
import { type Format, formatOf } from "./response-format.ts";

/** What a handler has to say. A Response goes out as it is: files and archives. */
export type Answer = Response | Told;

export interface Told {
  /** 200 when absent. */
  status?: 200 | 201 | 207;
  /** Plain data, written as JSON, or as YAML where `yaml` does not write it otherwise. */
  body: object;
  yaml?: () => string;
  headers?: Record<string, string>;
}

const MIME: Readonly<Record<Format, string>> = {
  json: "application/json; charset=utf-8",
  yaml: "application/yaml; charset=utf-8",
};

const written = (format: Format, body: object, yaml?: () => string): string =>
  format === "json" ? `${JSON.stringify(body)}\n` : (yaml?.() ?? writeYaml(body as Json));

export function answer(format: Format, answered: Answer): Response {
  if (answered instanceof Response) return answered;
  const { status = 200, body, yaml, headers } = answered;
  return new Response(written(format, body, yaml), {
    status,
    headers: { "Content-Type": MIME[format], Vary: "Accept", ...headers },
  });
}

/** Headers without which a refusal would not be a good one. */
const HEADERS: Partial<Record<ErrorCode, Record<string, string>>> = {
  unauthenticated: { "WWW-Authenticate": 'Bearer realm="mess"' },
  rate_limited: { "Retry-After": "10" },
  index_unavailable: { "Retry-After": "5" },
};

/** What a request is answered whose verb its address does not know: which verbs it does. OPTIONS asks just that. */
export function otherVerb(request: Request, verbs: readonly string[]): Response {
  const headers = { Allow: [...new Set(verbs)].toSorted().join(", ") };
  return request.method === "OPTIONS"
    ? new Response(null, { status: 204, headers })
    : refusal(
        request,
        {
          code: "method_not_allowed",
          message: "this address does not answer to that verb",
          hint: `Use ${headers.Allow}.`,
        },
        headers,
      );
}

export function refusal(
  request: Request,
  error: MessError,
  headers: Record<string, string> = {},
): Response {
  const format = formatOf(request.headers.get("Accept") ?? undefined) ?? "json";
  return new Response(written(format, { error }), {
    status: ERRORS[error.code],
    headers: {
      "Content-Type": MIME[format],
      Vary: "Accept",
      ...HEADERS[error.code],
      ...headers,
    },
  });
}
