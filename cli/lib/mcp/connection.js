/**
 * Forwards JSON-RPC messages of a local client to the MCP server of one exchange (streamable HTTP), and what comes back
 * to the client. It interprets no tools, so that every feature of the server works, also forms and tasks.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { readEvents } from "./read-events.js";

/** @typedef {Record<string, any>} Message a JSON-RPC message */

const SESSION_HEADER = "Mcp-Session-Id";
const VERSION_HEADER = "MCP-Protocol-Version";
const META_KEY = "_meta";
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** The last revision that begins with `initialize`. */
const LAST_HANDSHAKE_VERSION = "2025-11-25";
const INTERNAL_ERROR = -32_603;
const RECONNECT_DELAY_MS = 1_000;

export class Connection {
  /** @type {string | undefined} */
  #session;
  /** @type {string | undefined} */
  #version;
  /** Calls that wait for a response, by the id of the request. @type {Map<unknown, AbortController>} */
  #calls = new Map();
  #stop = new AbortController();

  /**
   * @param {import("../profiles.js").Profile} profile
   * @param {string} path of the MCP server
   * @param {(message: Message) => void} receive gets what the server sends
   */
  constructor(profile, path, receive) {
    this.profile = profile;
    this.address = new URL(path, profile.url);
    this.receive = receive;
  }

  get isInitialized() {
    return this.#version !== undefined;
  }

  /** Sends the message; `receive` has got everything that it causes when the promise resolves. @param {Message} message */
  async send(message) {
    if (message["method"] === "notifications/cancelled")
      this.#calls.get(message["params"]?.requestId)?.abort();
    const controller = new AbortController();
    if ("id" in message && "method" in message) this.#calls.set(message["id"], controller);
    try {
      await this.#post(message, controller.signal);
    } catch (error) {
      if (controller.signal.aborted) return;
      this.#fail(
        message,
        `${this.profile.url} could not be reached: ${/** @type {Error} */ (error).message}`,
      );
    } finally {
      this.#calls.delete(message["id"]);
    }
    if (message["method"] === "notifications/initialized") void this.#listen();
  }

  close() {
    this.#stop.abort();
    for (const controller of this.#calls.values()) controller.abort();
  }

  /** @param {Message} message @param {AbortSignal} signal */
  async #post(message, signal) {
    const response = await fetch(this.address, {
      method: "POST",
      headers: { ...this.#buildHeaders(message), "Content-Type": "application/json" },
      body: JSON.stringify(message),
      signal,
    });
    if (message["method"] === "initialize")
      this.#session = response.headers.get(SESSION_HEADER) ?? undefined;
    if (response.status === 202 || response.status === 204) return;
    const type = response.headers.get("Content-Type") ?? "";
    if (response.ok && type.startsWith("text/event-stream"))
      for await (const one of readEvents(response)) this.#deliver(message, one);
    else await this.#readBody(message, response);
  }

  /** @param {Message} message @param {Response} response */
  async #readBody(message, response) {
    const body = await response.json().catch(() => undefined);
    // An error of JSON-RPC has the id of the request, also with a status of failure.
    if (body?.jsonrpc && (body.id !== null || !("id" in message)))
      return this.#deliver(message, body);
    const reason = body?.error?.message ?? body?.error_description ?? `status ${response.status}`;
    const fix =
      response.status === 401
        ? ` Sign in again: mess login ${this.profile.url} --profile ${this.profile.name}`
        : "";
    this.#fail(message, `${this.profile.url}: ${reason}.${fix}`);
  }

  /** @param {Message} request @param {Message} message */
  #deliver(request, message) {
    if (request["method"] === "initialize" && message["result"])
      this.#version = message["result"].protocolVersion;
    this.receive(message);
  }

  /** @param {Message} message @param {string} reason */
  #fail(message, reason) {
    if ("id" in message && "method" in message)
      this.receive({
        jsonrpc: "2.0",
        id: message["id"],
        error: { code: INTERNAL_ERROR, message: reason },
      });
  }

  /** Later revisions name version and method in each message, which the headers repeat. @param {Message} message */
  #buildHeaders({ method, params }) {
    const own = params?.[META_KEY]?.[VERSION_KEY];
    const version = own ?? this.#version;
    const name = params?.name ?? params?.uri ?? params?.taskId;
    return {
      Accept: "application/json, text/event-stream",
      Authorization: `Bearer ${this.profile.api_key}`,
      ...(version === undefined ? {} : { [VERSION_HEADER]: version }),
      ...(own === undefined && this.#session !== undefined
        ? { [SESSION_HEADER]: this.#session }
        : {}),
      ...(own === undefined || own <= LAST_HANDSHAKE_VERSION || method === undefined
        ? {}
        : { "Mcp-Method": method, ...(name === undefined ? {} : { "Mcp-Name": name }) }),
    };
  }

  /** The stream of a session, for changes of subscribed resources. The server ends it after a while. */
  async #listen() {
    const { signal } = this.#stop;
    while (this.#session !== undefined && !signal.aborted) {
      try {
        const headers = { ...this.#buildHeaders({}), Accept: "text/event-stream" };
        const response = await fetch(this.address, { headers, signal });
        if (!response.ok) return;
        for await (const message of readEvents(response)) this.receive(message);
      } catch {
        // The next attempt reports what was missed.
      }
      await sleep(RECONNECT_DELAY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
