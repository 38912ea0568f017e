/**
 * One MCP server for several exchanges: a call names its exchange by the parameter `exchange`, which is added to every
 * tool. Without it, and for everything that is no call, the first exchange answers.
 */
import { Connection } from "./connection.js";

/** @typedef {import("./connection.js").Message} Message */

const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const RESOURCE_NOT_FOUND = -32_002;
/** Methods about a task, which belongs to the exchange that made it. */
const TASK_METHOD = /^tasks\//;
/** Ids of the handshakes that this program begins itself. */
const OWN_PREFIX = "mess handshake ";

export class Router {
  /** @type {Connection[]} */
  #connections;
  /** @type {Message | undefined} */
  #handshake;
  /** Requests of the client that wait, by id. @type {Map<unknown, (message: Message) => void>} */
  #waiting = new Map();
  /** Requests of servers that the client answers: the id that the client sees, and the server's. @type {Map<string, { connection: Connection, id: unknown }>} */
  #asked = new Map();
  /** Handshakes with further exchanges, which begin with the first call. @type {Map<Connection, Promise<void>>} */
  #opened = new Map();
  /** @type {Map<string, Connection>} */
  #tasks = new Map();

  /**
   * @param {readonly import("../profiles.js").Profile[]} profiles the default one first
   * @param {string} path
   * @param {(message: Message) => void} emit sends a message to the client
   */
  constructor(profiles, path, emit) {
    this.emit = emit;
    this.#connections = profiles.map((profile) => {
      /** @type {Connection} */
      const connection = new Connection(profile, path, (message) =>
        this.#receive(connection, message),
      );
      return connection;
    });
  }

  close() {
    for (const connection of this.#connections) connection.close();
  }

  /** @returns {Connection} */
  get #first() {
    const [first] = this.#connections;
    if (!first) throw new Error("there is no exchange");
    return first;
  }

  /** Handles a message of the client. @param {Message} message */
  async handle(message) {
    const { id, method, params } = message;
    if (method === undefined) return await this.#answer(message);
    if (method === "initialize") this.#handshake = message;
    if (method === "notifications/cancelled")
      return void (await Promise.all(this.#listOpen().map((one) => one.send(message))));
    if (id === undefined) return await this.#first.send(message);
    if (method === "tools/list") return await this.#listTools(message);
    if (method === "tools/call") return await this.#callTool(message);
    if (method === "resources/read") return await this.#readResource(message);
    const owner = TASK_METHOD.test(method) ? this.#tasks.get(params?.taskId) : undefined;
    await (owner ?? this.#first).send(message);
  }

  /** Exchanges that were called before; the first one always. */
  #listOpen() {
    return this.#connections.filter((one) => one === this.#first || this.#opened.has(one));
  }

  /** @param {Connection} connection @param {Message} message */
  #receive(connection, message) {
    const { id, method, result } = message;
    const taskId = result?.taskId ?? result?.task?.taskId;
    if (typeof taskId === "string") this.#tasks.set(taskId, connection);
    if (method === undefined) {
      const waiting = this.#waiting.get(id);
      if (waiting) return waiting(message);
      if (typeof id === "string" && id.startsWith(OWN_PREFIX)) return;
    } else if (id !== undefined) {
      // Two exchanges may use the same id.
      const seen = `${connection.profile.name} ${JSON.stringify(id)}`;
      this.#asked.set(seen, { connection, id });
      return this.emit({ ...message, id: seen });
    }
    this.emit(
      connection === this.#first ? message : nameExchange(message, connection.profile.name),
    );
  }

  /** The client's response to a request of a server. @param {Message} message */
  async #answer(message) {
    const asked = this.#asked.get(message["id"]);
    if (!asked) return;
    this.#asked.delete(message["id"]);
    await asked.connection.send({ ...message, id: asked.id });
  }

  /** Sends the request, and returns the response instead of giving it to the client. @param {Connection} connection @param {Message} message @returns {Promise<Message>} */
  async #request(connection, message) {
    const response = new Promise((/** @type {(message: Message) => void} */ resolve) => {
      this.#waiting.set(message["id"], resolve);
    });
    await this.#open(connection);
    await connection.send(message);
    const missing = {
      jsonrpc: "2.0",
      id: message["id"],
      error: { code: METHOD_NOT_FOUND, message: "no response" },
    };
    const found = await Promise.race([response, Promise.resolve(missing)]);
    this.#waiting.delete(message["id"]);
    return found;
  }

  /** Clients of the 2025 revisions begin with a handshake, which the other exchanges need, too. @param {Connection} connection */
  #open(connection) {
    const handshake = this.#handshake;
    if (connection === this.#first) return Promise.resolve();
    const opening =
      this.#opened.get(connection) ??
      (async () => {
        if (!handshake) return;
        await connection.send({ ...handshake, id: `${OWN_PREFIX}${connection.profile.name}` });
        await connection.send({ jsonrpc: "2.0", method: "notifications/initialized" });
      })();
    this.#opened.set(connection, opening);
    return opening;
  }

  /** @param {Message} message */
  async #listTools(message) {
    const response = await this.#request(this.#first, message);
    const names = this.#connections.map(({ profile }) => profile.name);
    const exchange = {
      type: "string",
      enum: names,
      description: `The exchange to call; ${names[0]} if absent.`,
    };
    const tools = response["result"]?.tools?.map((/** @type {any} */ tool) => ({
      ...tool,
      inputSchema: {
        ...tool.inputSchema,
        properties: { ...tool.inputSchema?.properties, exchange },
      },
    }));
    this.emit(tools ? { ...response, result: { ...response["result"], tools } } : response);
  }

  /** @param {Message} message */
  async #callTool(message) {
    const { exchange, ...args } = message["params"]?.arguments ?? {};
    const connection =
      exchange === undefined
        ? this.#first
        : this.#connections.find(({ profile }) => profile.name === exchange);
    if (!connection) {
      const names = this.#connections.map(({ profile }) => profile.name).join(", ");
      const error = {
        code: INVALID_PARAMS,
        message: `there is no exchange ${JSON.stringify(exchange)}. Use one of: ${names}`,
      };
      return this.emit({ jsonrpc: "2.0", id: message["id"], error });
    }
    await this.#open(connection);
    await connection.send({ ...message, params: { ...message["params"], arguments: args } });
  }

  /**
   * The address of a resource may name its exchange. Else the first one that has such a resource answers, since two
   * exchanges may use the same ref.
   * @param {Message} message
   */
  async #readResource(message) {
    const { uri, name } = splitAddress(message["params"]?.uri);
    const asked = { ...message, params: { ...message["params"], uri } };
    const named = this.#connections.filter(({ profile }) => profile.name === name);
    /** @type {Message | undefined} */
    let missing;
    for (const connection of named.length > 0 ? named : this.#connections) {
      const response = await this.#request(connection, asked);
      const isMissing = [RESOURCE_NOT_FOUND, INVALID_PARAMS].includes(response["error"]?.code);
      if (!isMissing) return this.emit(response);
      missing ??= response;
    }
    if (missing) this.emit(missing);
  }
}

const ADDRESS = /^(.*)[?&]exchange=([\w-]+)$/;

/** @param {unknown} address @returns {{ uri: unknown, name?: string }} */
function splitAddress(address) {
  const [, uri, name] = typeof address === "string" ? (ADDRESS.exec(address) ?? []) : [];
  return uri === undefined ? { uri: address } : { uri, name };
}

/** Adds the exchange to the addresses of resources in a tool's result. @param {Message} message @param {string} name */
function nameExchange(message, name) {
  const { result } = message;
  if (!Array.isArray(result?.content)) return message;
  const tag = (/** @type {string} */ uri) =>
    `${uri}${uri.includes("?") ? "&" : "?"}exchange=${name}`;
  const content = result.content.map((/** @type {any} */ item) => ({
    ...item,
    ...(item.type === "resource_link" ? { uri: tag(item.uri) } : {}),
    ...(item.type === "resource"
      ? { resource: { ...item.resource, uri: tag(item.resource.uri) } }
      : {}),
  }));
  return { ...message, result: { ...result, content } };
}
