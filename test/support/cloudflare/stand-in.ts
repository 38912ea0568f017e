/**
 * A local stand-in of Cloudflare's API for one account: the calls that `npm run deploy` and its wrangler make, with the
 * responses and error codes of the real API. D1 runs the SQL in SQLite. It serves no Worker.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";

export const ACCOUNT = "0123456789abcdef0123456789abcdef";
export const TOKEN = "stand-in-token-0123456789";
export const SUBDOMAIN = "family";

export interface StandInBinding {
  name: string;
  type: string;
  text?: string;
  id?: string;
  namespace_id?: string;
  bucket_name?: string;
}

class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  request: Request;
}
type Handler = (call: Call, ...parts: string[]) => unknown;

const SCRIPT_NOT_FOUND = new Refusal(404, 10007, "This Worker does not exist on your account.");

export class CloudflareStandIn {
  readonly namespaces = new Map<string, { title: string; values: Map<string, string> }>();
  readonly databases = new Map<string, { name: string; sqlite: DatabaseSync }>();
  readonly buckets = new Set<string>();
  readonly workers = new Map<string, { bindings: StandInBinding[] }>();
  readonly calls: string[] = [];
  /** Calls whose path matches are refused for want of a permission. */
  denied: RegExp | undefined;
  /** The connection ends without a response before, or after, the call with this number (from 1) takes effect. */
  crash: { at: number; isAfter: boolean } | undefined;
  hasSubdomain = true;
  #server: Server | undefined;

  async start(): Promise<string> {
    const server = createServer((incoming, outgoing) => {
      void this.#respond(incoming).then((response) => {
        if (!response) incoming.socket.destroy();
        else
          outgoing
            .writeHead(response.status, { "Content-Type": "application/json" })
            .end(response.body);
      });
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/client/v4`;
  }

  async stop(): Promise<void> {
    if (!this.#server?.listening) return;
    for (const { sqlite } of this.databases.values()) sqlite.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  async #respond(incoming: IncomingMessage) {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const url = new URL(incoming.url ?? "/", "http://stand-in");
    const path = url.pathname.replace("/client/v4", "");
    const method = incoming.method ?? "GET";
    this.calls.push(`${method} ${path}`);
    const { crash } = this;
    const isCrash = crash?.at === this.calls.length;
    if (isCrash && !crash.isAfter) return undefined;
    const request = new Request(url, {
      method,
      headers: incoming.headers as Record<string, string>,
      body: method === "GET" ? null : Buffer.concat(chunks),
    });
    const response = await this.#answer({ method, path, query: url.searchParams, request });
    return isCrash ? undefined : response;
  }

  async #answer(call: Call): Promise<{ status: number; body: string }> {
    try {
      if (call.request.headers.get("Authorization") !== `Bearer ${TOKEN}`)
        throw new Refusal(401, 10000, "Authentication error");
      if (this.denied?.test(call.path)) throw new Refusal(403, 10000, "Authentication error");
      const result = await this.#route(call);
      if (typeof result === "string") return { status: 200, body: result };
      const info = { page: 1, per_page: 100, count: 1, total_count: 1, total_pages: 1 };
      const body = { success: true, errors: [], messages: [], result, result_info: info };
      return { status: 200, body: JSON.stringify(body) };
    } catch (error) {
      const { status, code, message } =
        error instanceof Refusal ? error : new Refusal(500, 10013, String(error));
      const body = { success: false, errors: [{ code, message }], messages: [], result: null };
      return { status, body: JSON.stringify(body) };
    }
  }

  async #route(call: Call): Promise<unknown> {
    for (const [method, pattern, handle] of this.#handlers()) {
      const match = new RegExp(`^${pattern.replaceAll("*", "([^/]+)")}$`).exec(call.path);
      if (match && method === call.method)
        return await handle(call, ...match.slice(1).map(decodeURIComponent));
    }
    throw new Refusal(404, 7003, `Could not route to ${call.method} ${call.path}`);
  }

  #handlers(): [method: string, pattern: string, handle: Handler][] {
    const account = `/accounts/${ACCOUNT}`;
    const kv = `${account}/storage/kv/namespaces`;
    const scripts = `${account}/workers/scripts`;
    return [
      ["GET", "/accounts", () => [{ id: ACCOUNT, name: "Family" }]],
      ["GET", "/memberships", () => [{ account: { id: ACCOUNT, name: "Family" } }]],
      ["GET", "/user", () => ({ email: "ann@example.org" })],
      ["GET", `${account}/workers/subdomain`, () => this.#readSubdomain()],
      ["GET", kv, () => [...this.namespaces].map(([id, { title }]) => ({ id, title }))],
      ["POST", kv, (call) => this.#createNamespace(call)],
      ["GET", `${kv}/*/values/*`, (_, id, key) => this.#readValue(id, key)],
      ["PUT", `${kv}/*/values/*`, (call, id, key) => this.#writeValue(call, id, key)],
      ["GET", `${account}/d1/database`, (call) => this.#listDatabases(call)],
      ["POST", `${account}/d1/database`, (call) => this.#createDatabase(call)],
      ["GET", `${account}/d1/database/*`, (_, id) => ({ uuid: id, name: this.#database(id).name })],
      ["POST", `${account}/d1/database/*/query`, (call, id) => this.#query(call, id)],
      ["GET", `${account}/r2/buckets/*`, (_, name) => this.#readBucket(name)],
      ["POST", `${account}/r2/buckets`, (call) => this.#createBucket(call)],
      ["GET", `${account}/workers/services/*`, (_, name) => this.#readService(name)],
      ["GET", `${scripts}/*/settings`, (_, name) => ({ bindings: this.#worker(name).bindings })],
      ["GET", `${scripts}/*/secrets`, (_, name) => this.#listSecrets(name)],
      ["GET", `${account}/workers/workers/*`, (_, name) => this.#readWorkerInfo(name)],
      ["GET", `${scripts}/*/deployments`, (_, name) => (this.#worker(name), { deployments: [] })],
      ["PUT", `${scripts}/*`, (call, name) => this.#upload(call, name)],
      ["POST", `${scripts}/*/assets-upload-session`, () => ({ jwt: "assets", buckets: [] })],
      ["PATCH", `${scripts}/*/script-settings`, () => ({})],
      ["GET", `${scripts}/*/subdomain`, () => ({ enabled: true, previews_enabled: false })],
      ["POST", `${scripts}/*/subdomain`, () => ({ enabled: true, previews_enabled: false })],
    ];
  }

  #readSubdomain() {
    if (!this.hasSubdomain) throw new Refusal(404, 10007, "no workers.dev subdomain");
    return { subdomain: SUBDOMAIN };
  }

  async #createNamespace({ request }: Call) {
    const { title } = (await request.json()) as { title: string };
    if ([...this.namespaces.values()].some((one) => one.title === title))
      throw new Refusal(400, 10014, "A namespace with this account ID and title already exists.");
    const id = randomUUID().replaceAll("-", "");
    this.namespaces.set(id, { title, values: new Map() });
    return { id, title };
  }

  #readValue(id: string, key: string) {
    const value = this.namespaces.get(id)?.values.get(key);
    if (value === undefined) throw new Refusal(404, 10009, "get: 'key not found'");
    return value;
  }

  async #writeValue({ request }: Call, id: string, key: string) {
    const space = this.namespaces.get(id);
    if (!space) throw new Refusal(404, 10013, "namespace not found");
    space.values.set(key, await request.text());
    return null;
  }

  #listDatabases({ query }: Call) {
    const name = query.get("name");
    return [...this.databases]
      .filter(([, one]) => name === null || one.name === name)
      .map(([uuid, one]) => ({ uuid, name: one.name }));
  }

  async #createDatabase({ request }: Call) {
    const { name } = (await request.json()) as { name: string };
    if ([...this.databases.values()].some((one) => one.name === name))
      throw new Refusal(400, 7502, `Database with name '${name}' already exists`);
    const uuid = randomUUID();
    this.databases.set(uuid, { name, sqlite: new DatabaseSync(":memory:") });
    return { uuid, name };
  }

  #database(idOrName: string) {
    const named = [...this.databases.values()].find(({ name }) => name === idOrName);
    const found = this.databases.get(idOrName) ?? named;
    if (!found) throw new Refusal(404, 7404, "The database could not be found");
    return found;
  }

  async #query({ request }: Call, id: string) {
    const { sqlite } = this.#database(id);
    const { sql, params = [] } = (await request.json()) as { sql: string; params?: string[] };
    const isQuery = /^\s*(?:select|pragma)/i.test(sql);
    const results = isQuery ? sqlite.prepare(sql).all(...params) : (sqlite.exec(sql), []);
    return [{ results, success: true, meta: { duration: 0, rows_read: 0, rows_written: 0 } }];
  }

  #readBucket(name: string) {
    if (!this.buckets.has(name))
      throw new Refusal(404, 10006, "The specified bucket does not exist.");
    return { name };
  }

  async #createBucket({ request }: Call) {
    const { name } = (await request.json()) as { name: string };
    if (this.buckets.has(name))
      throw new Refusal(409, 10004, "The bucket you tried to create already exists.");
    this.buckets.add(name);
    return { name };
  }

  #worker(name: string) {
    const worker = this.workers.get(name);
    if (!worker) throw SCRIPT_NOT_FOUND;
    return worker;
  }

  #readService(name: string) {
    this.#worker(name);
    const script = { tag: "tag", tags: [], last_deployed_from: "wrangler" };
    return { default_environment: { environment: "production", script } };
  }

  #readWorkerInfo(name: string) {
    this.#worker(name);
    return { name, subdomain: { enabled: true, previews_enabled: false } };
  }

  #listSecrets(name: string) {
    return this.#worker(name).bindings.filter(({ type }) => type === "secret_text");
  }

  /** Secrets that the upload leaves out stay, and `inherit` keeps a binding; texts of secrets can not be read again. */
  async #upload({ request }: Call, name: string) {
    const form = await request.formData();
    const metadata = JSON.parse(await readPart(form.get("metadata"))) as {
      bindings: StandInBinding[];
    };
    const before = this.workers.get(name)?.bindings ?? [];
    const given = metadata.bindings.map((one) =>
      one.type === "inherit" ? before.find((former) => former.name === one.name) : one,
    );
    if (given.includes(undefined)) throw new Refusal(400, 10056, "a binding to inherit is missing");
    const kept = before.filter(
      (one) => one.type === "secret_text" && !given.some((other) => other?.name === one.name),
    );
    const bindings = [...given.flatMap((one) => one ?? []), ...kept];
    this.workers.set(name, { bindings });
    return { id: name, deployment_id: randomUUID().replaceAll("-", ""), startup_time_ms: 30 };
  }
}

const readPart = async (part: FormDataEntryValue | null): Promise<string> =>
  typeof part === "string" ? part : ((await part?.text()) ?? "");
