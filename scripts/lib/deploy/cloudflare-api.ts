/** Calls Cloudflare's API. Its errors become messages that say what to do. */
import { PlainError } from "../program.ts";

const DEFAULT_BASE_URL = "https://api.cloudflare.com/client/v4";
const TIMEOUT_MS = 30_000;
const REPEAT_HINT = "Repeat the command; it continues where it stopped.";

/** Codes with which the API says that a credential may not do something. */
const PERMISSION_CODES = new Set([9109, 10000, 10001, 10023]);
const R2_NOT_ENABLED_CODE = 10042;

interface ApiBody {
  success?: boolean;
  errors?: { code: number; message: string }[];
  result?: unknown;
}

interface CallOptions {
  /** What a token needs for the call, as Cloudflare's page for API tokens names it. */
  permission: string;
  body?: object | string;
}

export class CloudflareApi {
  readonly #token: string;
  readonly #baseUrl: string;

  constructor(token: string, baseUrl = process.env["CLOUDFLARE_API_BASE_URL"]) {
    this.#token = token;
    this.#baseUrl = (baseUrl ?? DEFAULT_BASE_URL).replace(/\/$/, "");
  }

  /** @throws PlainError also where nothing was found */
  async call<T>(method: string, path: string, options: CallOptions): Promise<T> {
    const found = await this.find<T>(method, path, options);
    if (found === undefined) throw new PlainError(`Cloudflare has no ${path}. ${REPEAT_HINT}`);
    return found;
  }

  /** Returns undefined where nothing was found. @throws PlainError for every other error */
  async find<T>(method: string, path: string, options: CallOptions): Promise<T | undefined> {
    const { response, text } = await this.#send(method, path, options.body);
    if (response.status === 404) return undefined;
    const body = readBody(text);
    // Values of KV are answered as they are, without an envelope.
    if (response.ok && body.success === undefined) return text as T;
    if (response.ok && body.success) return body.result as T;
    throw explain(response.status, body.errors ?? [], `${method} ${path}`, options.permission);
  }

  async #send(method: string, path: string, body: object | string | undefined) {
    try {
      const response = await fetch(`${this.#baseUrl}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${this.#token}`,
          ...(typeof body === "object" ? { "Content-Type": "application/json" } : {}),
        },
        body: typeof body === "object" ? JSON.stringify(body) : (body ?? null),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { response, text: await response.text() };
    } catch (error) {
      const { message } = error as Error;
      throw new PlainError(`Cloudflare's API could not be reached (${message}). ${REPEAT_HINT}`);
    }
  }
}

function readBody(text: string): ApiBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
}

function explain(
  status: number,
  errors: readonly { code: number; message: string }[],
  call: string,
  permission: string,
): PlainError {
  const reason = errors.map(({ code, message }) => `${message} [${code}]`).join("; ");
  if (errors.some(({ code }) => code === R2_NOT_ENABLED_CODE))
    return new PlainError(
      "R2, which stores files, is not enabled in this account. Enable it at https://dash.cloudflare.com/?to=/:account/r2, then repeat the command.",
    );
  if (status === 401 || status === 403 || errors.some(({ code }) => PERMISSION_CODES.has(code)))
    return new PlainError(
      `The credential lacks the permission "${permission}" (${reason || status}). Add it to the API token at https://dash.cloudflare.com/profile/api-tokens, or sign in with \`npx wrangler login\`, then repeat the command.`,
    );
  return new PlainError(
    `Cloudflare refused ${call}: ${reason || `status ${status}`}. ${REPEAT_HINT}`,
  );
}
