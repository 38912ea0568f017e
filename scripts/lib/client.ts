import { defined } from "../../src/mess/defined.ts";
/** A small client of the exchange's HTTP API, for the scripts. */
export interface Ack {
  re?: string;
  ref?: string;
  [key: string]: unknown;
}

/** An error response of the exchange. */
export class ApiRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(
    call: string,
    status: number,
    error: { code?: string; message?: string; hint?: string },
  ) {
    super(
      `${call}: ${status} ${error.code ?? ""}: ${error.message ?? ""} ${error.hint ?? ""}`.trim(),
    );
    this.status = status;
    this.code = error.code ?? "";
  }
}

export interface Client {
  get<T>(path: string): Promise<T>;
  bytes(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Sends and receives JSON. */
  post<T>(path: string, body: object, idempotencyKey?: string): Promise<T>;
  /** Sends a MESS message in YAML with its files; returns the first ack. */
  mess(text: string, files?: readonly File[]): Promise<Ack>;
}

/** @param key an API key or the operator's key */
export function createClient(
  origin: string,
  key: string,
  signal?: AbortSignal,
  fetchExchange: typeof fetch = fetch,
): Client {
  const call = async (method: string, path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set("Authorization", `Bearer ${key}`);
    const response = await fetchExchange(`${origin}${path}`, {
      ...init,
      method,
      headers,
      signal: signal ?? null,
    });
    if (response.ok) return response;
    const body = (await response.json().catch(() => ({}))) as { error?: object };
    throw new ApiRefusal(`${method} ${path}`, response.status, body.error ?? {});
  };
  const json = { Accept: "application/json" };
  return {
    get: async <T>(path: string) =>
      (await (await call("GET", path, { headers: json })).json()) as T,
    bytes: async (path) => new Uint8Array(await (await call("GET", path, {})).arrayBuffer()),
    post: async <T>(path: string, body: object, idempotencyKey?: string) => {
      const headers = {
        ...json,
        "Content-Type": "application/json",
        ...defined({ "Idempotency-Key": idempotencyKey }),
      };
      const response = await call("POST", path, { headers, body: JSON.stringify(body) });
      return (await response.json()) as T;
    },
    mess: async (text, files = []) => {
      const response = await call("POST", "/mess", buildMessageBody(text, files));
      const { MESS } = (await response.json()) as { MESS: { ack?: Ack }[] };
      return MESS.find(({ ack }) => ack)?.ack ?? {};
    },
  };
}

function buildMessageBody(text: string, files: readonly File[]): RequestInit {
  const headers = { Accept: "application/json" };
  if (files.length === 0)
    return { headers: { ...headers, "Content-Type": "application/yaml" }, body: text };
  const form = new FormData();
  form.append("message", text);
  for (const file of files) form.append("file", file, file.name);
  return { headers, body: form };
}
