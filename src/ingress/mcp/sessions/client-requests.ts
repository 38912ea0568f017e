/**
 * Sends requests of the server, such as questions, on the response stream of the call that makes them. The client's
 * response is a request of its own, which may reach another isolate, so it comes back through the session.
 */
import {
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpServer,
} from "@modelcontextprotocol/server";
import type { ClientSession } from "./client-session.ts";

type Transport = Parameters<McpServer["connect"]>[0];
type SendOptions = Parameters<Transport["send"]>[1];

/** Clients give up a call after about 60 seconds. */
const ANSWER_WITHIN_MS = 55_000;

/** Lets the server send requests to the client of the session. Call it before the server is connected. */
export function enableClientRequests(server: McpServer, session: ClientSession): void {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    // An id that the client cannot have chosen for a request of its own.
    const replayId = crypto.randomUUID();
    const requests = new ClientRequests(transport, session, replayId);
    transport.send = (message, options) => requests.send(message, options);
    await connect(transport);
    const { onclose } = transport;
    const end = () => {
      requests.end();
      onclose?.();
    };
    Object.assign(transport, { onclose: end });
    // Each call has a new server, which has to know what its client declared.
    const { version, capabilities } = session;
    transport.onmessage?.({
      jsonrpc: "2.0",
      id: replayId,
      method: "initialize",
      params: {
        protocolVersion: version,
        capabilities,
        clientInfo: { name: "client", version: "1" },
      },
    });
  };
}

class ClientRequests {
  readonly #transport: Transport;
  readonly #session: ClientSession;
  readonly #send: Transport["send"];
  #replayId: string | undefined;
  readonly #deadline = Date.now() + ANSWER_WITHIN_MS;
  /** The requests without a response by the id that the server gave them: their ids on the wire. */
  readonly #open = new Map<unknown, { wireId: string; abort: AbortController }>();

  constructor(transport: Transport, session: ClientSession, replayId: string) {
    this.#transport = transport;
    this.#session = session;
    this.#replayId = replayId;
    // The handler has replaced `send` by one that refuses requests; its class still sends them.
    const prototype = Object.getPrototypeOf(transport) as Transport;
    this.#send = (message, options) => prototype.send.call(transport, message, options);
  }

  async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (isJSONRPCRequest(message)) return await this.#sendRequest(message, options);
    if (isJSONRPCResponse(message) && message.id === this.#replayId) {
      this.#replayId = undefined;
      return;
    }
    await this.#send(this.#translateCancellation(message), options);
  }

  /** Stops waiting, since the call has ended. */
  end(): void {
    for (const { abort } of this.#open.values()) abort.abort();
    this.#open.clear();
  }

  /** Sends the request under an id that no other isolate uses in this session. */
  async #sendRequest(message: JSONRPCRequest, options?: SendOptions): Promise<void> {
    const wireId = `mess-${crypto.randomUUID()}`;
    const abort = new AbortController();
    this.#open.set(message.id, { wireId, abort });
    const finish = (fields: object) => {
      if (!this.#open.delete(message.id)) return;
      abort.abort();
      this.#transport.onmessage?.({ ...fields, jsonrpc: "2.0", id: message.id } as JSONRPCMessage);
    };
    const timer = setTimeout(
      () => {
        void this.#send(buildCancellation(wireId), options).catch(() => undefined);
        finish(buildNoAnswer(message));
      },
      Math.max(0, this.#deadline - Date.now()),
    );
    abort.signal.addEventListener("abort", () => clearTimeout(timer));
    const onEnd = () => finish(buildNoAnswer(message));
    const isWaiting = await this.#session
      .expectResponse(
        wireId,
        (response) => finish(JSON.parse(response) as object),
        onEnd,
        abort.signal,
      )
      .catch(() => false);
    if (!isWaiting) onEnd();
    else await this.#send({ ...message, id: wireId }, options);
  }

  /** The server names a request that it cancels by its own id. */
  #translateCancellation(message: JSONRPCMessage): JSONRPCMessage {
    if (!("method" in message) || message.method !== "notifications/cancelled") return message;
    const found = this.#open.get(message.params?.["requestId"]);
    if (!found) return message;
    this.#open.delete(message.params?.["requestId"]);
    found.abort.abort();
    return { ...message, params: { ...message.params, requestId: found.wireId } };
  }
}

const buildCancellation = (requestId: string): JSONRPCMessage => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId, reason: "no answer in time" },
});

/** A question without an answer counts as a form that was closed. */
const buildNoAnswer = ({ method }: JSONRPCRequest): object =>
  method === "elicitation/create"
    ? { result: { action: "cancel" } }
    : { error: { code: -32_001, message: "no response in time" } };
