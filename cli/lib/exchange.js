/** Calls of the exchange's HTTP API, with repeats that take effect once. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { CliError } from "./errors.js";

/**
 * @typedef {object} CallOptions
 * @property {Record<string, string | number | boolean | undefined>} [query]
 * @property {unknown} [json] sent as JSON
 * @property {BodyInit} [body]
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 */

const MAX_ATTEMPTS = 5;
const RETRY_DELAY_MS = 500;
const MAX_DELAY_SECONDS = 60;
/** Statuses after which the same call may succeed. */
const TEMPORARY = [408, 429, 502, 503, 504];

export class Exchange {
  /** @param {{ url: string, api_key?: string, name?: string }} profile */
  constructor({ url, api_key, name }) {
    this.url = url;
    this.name = name;
    this.key = api_key;
  }

  /**
   * The response, if the exchange accepted the call. A call that fails on the way is repeated; the Idempotency-Key lets
   * a repeated POST take effect once.
   * @param {string} method
   * @param {string} path
   * @param {CallOptions} [options]
   */
  async call(method, path, { query = {}, json, body, headers = {}, signal } = {}) {
    const url = new URL(path, this.url);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const init = {
      method,
      headers: {
        Accept: "application/json",
        ...(this.key === undefined ? {} : { Authorization: `Bearer ${this.key}` }),
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
        ...(method === "POST" ? { "Idempotency-Key": randomUUID() } : {}),
        ...headers,
      },
      ...(json === undefined
        ? body === undefined
          ? {}
          : { body }
        : { body: JSON.stringify(json) }),
      ...(signal ? { signal } : {}),
    };
    for (let attempt = 1; ; attempt++) {
      const response = await this.#send(url, init, attempt);
      if (response === undefined) continue;
      if (response.ok) return response;
      const seconds = Number(response.headers.get("Retry-After") ?? 2 ** attempt / 2);
      if (
        !TEMPORARY.includes(response.status) ||
        attempt >= MAX_ATTEMPTS ||
        seconds > MAX_DELAY_SECONDS
      )
        throw await this.#toError(response);
      await response.body?.cancel();
      await sleep(seconds * 1_000, undefined, signal ? { signal } : {});
    }
  }

  /** @param {URL} url @param {RequestInit} init @param {number} attempt */
  async #send(url, init, attempt) {
    try {
      return await fetch(url, init);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      if (attempt >= MAX_ATTEMPTS - 2)
        throw new CliError(`${url.origin} could not be reached (${describeCause(error)})`, {
          hint: "Check the address and your connection, then repeat the command: nothing happens twice.",
          exit: "unreachable",
        });
      await sleep(RETRY_DELAY_MS * attempt);
      return undefined;
    }
  }

  /** @param {Response} response */
  async #toError(response) {
    const { status } = response;
    const body = await response.json().catch(() => undefined);
    const { code, message, hint, ...detail } = body?.error ?? {};
    // A refusal for the state of a request is not about a place in the text, which the command has written.
    const about = detail.path === undefined || status !== 400 ? "" : ` (at ${detail.path})`;
    return new CliError(
      message === undefined ? `${this.url} answered with status ${status}` : `${message}${about}`,
      {
        hint: this.#buildHint(status, code, hint),
        exit: getExit(status),
        code,
        detail: body?.error,
      },
    );
  }

  /** @param {number} status @param {string | undefined} code @param {string | undefined} hint */
  #buildHint(status, code, hint) {
    const profile =
      this.name === undefined || this.name === "environment" ? "" : ` --profile ${this.name}`;
    if (status === 401 && this.key !== undefined)
      return `Your key for ${this.url} ${code === "key_expired" ? "has expired" : "is not valid"}. Sign in again: mess login ${this.url}${profile}`;
    return hint ?? (status >= 500 ? "Try again later." : undefined);
  }

  /** @param {string} path @param {Omit<CallOptions, "json" | "body">} [options] @returns {Promise<any>} */
  async get(path, options = {}) {
    return await (await this.call("GET", path, options)).json();
  }

  /** @param {string} path @param {unknown} json @param {CallOptions} [options] @returns {Promise<any>} */
  async post(path, json, options = {}) {
    return await (await this.call("POST", path, { ...options, json })).json();
  }

  /** Sends the blocks of one message; returns its acks. @param {object[]} blocks @returns {Promise<any[]>} */
  async send(blocks) {
    return readAcks(await this.post("/mess", { MESS: blocks }));
  }
}

/** @param {{ MESS?: { ack?: object }[] }} body @returns {any[]} */
export const readAcks = ({ MESS = [] }) => MESS.flatMap(({ ack }) => (ack ? [ack] : []));

/** @param {number} status @returns {import("./errors.js").ExitName} */
function getExit(status) {
  if (status === 401 || status === 403) return "signedOut";
  if (status === 404 || status === 410) return "notFound";
  return status >= 500 ? "unreachable" : "refused";
}

/** @param {unknown} error */
function describeCause(error) {
  const cause = /** @type {{ cause?: { code?: string, message?: string }, message?: string }} */ (
    error
  );
  return cause.cause?.code ?? cause.cause?.message ?? cause.message ?? "no response";
}
