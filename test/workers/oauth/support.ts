/** A person's browser and an OAuth client, as seen by the Worker. */
import { defined } from "../../../src/mess/defined.ts";
import {
  Caller,
  createFreshHousehold,
  expectOkJson,
  OPERATOR_KEY,
  ORIGIN,
  sendRequest,
  type TestHousehold,
} from "../support.ts";

export const CALLBACK = "https://claude.ai/api/mcp/auth_callback";

/** A separate address for each test, since attempts are limited by address. */
const findAddress = (): string => `2001:db8:0:${crypto.randomUUID().slice(0, 4)}::1`;

/** A browser that stores cookies and does not follow redirects on its own. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly address = findAddress();

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("CF-Connecting-IP", this.address);
    if (this.cookies.size > 0)
      headers.set(
        "Cookie",
        [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      );
    const response = await sendRequest(path, { ...init, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    return response;
  }

  #keep(cookie: string): void {
    const [pair = "", ...attributes] = cookie.split("; ");
    const at = pair.indexOf("=");
    const name = pair.slice(0, at);
    if (attributes.includes("Max-Age=0")) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(at + 1));
  }

  async open(path: string): Promise<Document> {
    return await Document.of(await this.fetch(path));
  }

  async submit(path: string, fields: Record<string, string> | URLSearchParams): Promise<Response> {
    return await this.fetch(path, {
      method: "POST",
      headers: { "Sec-Fetch-Site": "same-origin" },
      body: new URLSearchParams(fields),
    });
  }

  async json(path: string, body: object): Promise<Response> {
    return await this.fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin" },
      body: JSON.stringify(body),
    });
  }

  /** Opens a sign-in link and presses its button. */
  async follow(url: string): Promise<Response> {
    const page = await this.open(url.slice(ORIGIN.length));
    return await this.submit("/sign-in", page.hidden());
  }
}

/** A page as text, with its hidden fields. */
export class Document {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;

  constructor(status: number, text: string, headers: Headers) {
    this.status = status;
    this.text = text;
    this.headers = headers;
  }

  static async of(response: Response): Promise<Document> {
    return new Document(response.status, await response.text(), response.headers);
  }

  hidden(): Record<string, string> {
    const fields = this.text.matchAll(/<input\s+type="hidden"\s+name="(\w+)"\s+value="([^"]*)"/g);
    return Object.fromEntries(
      [...fields].map(([, name, value]) => [name!, value!.replaceAll("&amp;", "&")]),
    );
  }

  /** True if the page offers to sign out, so a person is signed in. */
  get isSignedIn(): boolean {
    return this.text.includes('action="/sign-out"');
  }

  /** The form token for scripts. */
  get form(): string {
    return /data-form="(\w+)"/.exec(this.text)?.[1] ?? this.hidden()["form"] ?? "";
  }

  /** The households that can be selected. */
  get offered(): string[] {
    return [...this.text.matchAll(/name="household"\s+value="([^"]+)"/g)].map(([, id]) => id!);
  }

  /** The address to which the page redirects. */
  get next(): URL {
    const address = /content="0;url=([^"]+)"/.exec(this.text)?.[1];
    if (address === undefined) throw new Error(`no way back in ${this.status} ${this.text}`);
    return new URL(address.replaceAll("&amp;", "&"));
  }
}

export const isSignedIn = async (browser: Browser): Promise<boolean> =>
  (await browser.open("/sign-in")).isSignedIn;

/** A sign-in link for the person, created by an owner. */
export async function createSignInLink(
  { owner }: TestHousehold,
  actor: string,
  role?: "owner" | "agent" | "executor",
): Promise<string> {
  const body = { actor, ...defined({ role }) };
  const response = await owner.post("/api/v1/sign-in-links", body);
  const made = await response.json<{ url: string }>();
  if (!response.ok) throw new Error(JSON.stringify(made));
  return made.url;
}

/** A sign-in link for an owner, created by the operator: it opens a verified session. */
export async function createOperatorLink(
  { id }: Pick<TestHousehold, "id">,
  actor: string,
): Promise<string> {
  const operator = new Caller("operator", OPERATOR_KEY);
  const made = await operator.post(`/api/v1/households/${id}/sign-in-links`, { actor });
  return (await expectOkJson(made)).url as string;
}

/** A browser in which the person is signed in to each of the households; an owner in verified sessions. */
export async function openSignedIn(
  ...households: (readonly [TestHousehold, string, ("owner" | "agent" | "executor")?])[]
): Promise<Browser> {
  const browser = new Browser();
  for (const [household, actor, role] of households) {
    const made = await createSignInLink(household, actor, role);
    const link = role === "owner" ? await createOperatorLink(household, actor) : made;
    const response = await browser.follow(link);
    if (response.status !== 303) throw new Error(`${response.status} ${await response.text()}`);
  }
  return browser;
}

const encodeBase64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

export async function computeChallenge(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return encodeBase64url(new Uint8Array(digest));
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
  resource: string;
}

export interface Registration {
  client_name?: string;
  redirect_uris?: string[];
  [key: string]: unknown;
}

export const registerClient = (
  body: unknown,
  address: string = findAddress(),
  send = sendRequest,
): Promise<Response> =>
  send("/oauth/register", {
    method: "POST",
    headers: { "Content-Type": "application/json", "CF-Connecting-IP": address },
    body: JSON.stringify(body),
  });

/** A client with dynamic registration, like Claude. */
export class Client {
  readonly id: string;
  readonly callback: string;
  /** Path of the MCP server's address to which the client connects. */
  readonly path: string;
  readonly verifier = encodeBase64url(crypto.getRandomValues(new Uint8Array(32)));
  readonly state = crypto.randomUUID();

  constructor(id: string, callback: string, path = "/mcp") {
    this.id = id;
    this.callback = callback;
    this.path = path;
  }

  static async register(registration: Registration = {}, path?: string): Promise<Client> {
    const response = await registerClient({
      client_name: "Claude",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...registration,
    });
    const client = await response.json<{ client_id: string; redirect_uris: string[] }>();
    if (!response.ok) throw new Error(JSON.stringify(client));
    return new Client(client.client_id, client.redirect_uris[0]!, path);
  }

  /** The address of the consent page. Parameters that are `undefined` are left out. */
  async request(changed: Record<string, string | undefined> = {}): Promise<string> {
    const parameters = {
      response_type: "code",
      client_id: this.id,
      redirect_uri: this.callback,
      state: this.state,
      scope: "mess:ask",
      resource: `${ORIGIN}${this.path}`,
      code_challenge: await computeChallenge(this.verifier),
      code_challenge_method: "S256",
      ...changed,
    };
    const given = Object.entries(parameters).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    return `/authorize?${new URLSearchParams(given).toString()}`;
  }

  /** Allows access to these households as the browser's person; returns the address of the redirect. */
  async connect(browser: Browser, roles: Record<string, string>): Promise<URL> {
    const page = await browser.open(await this.request());
    const fields = new URLSearchParams({
      handle: page.hidden()["handle"] ?? "",
      decision: "allow",
    });
    for (const [household, role] of Object.entries(roles)) {
      fields.append("household", household);
      fields.append(`role-${household}`, role);
    }
    return (await Document.of(await browser.submit("/authorize", fields))).next;
  }

  token(fields: Record<string, string>): Promise<Response> {
    return sendRequest("/oauth/token", {
      method: "POST",
      body: new URLSearchParams({ client_id: this.id, ...fields }),
    });
  }

  exchange(code: string, changed: Record<string, string> = {}): Promise<Response> {
    return this.token({
      grant_type: "authorization_code",
      code,
      redirect_uri: this.callback,
      code_verifier: this.verifier,
      resource: `${ORIGIN}${this.path}`,
      ...changed,
    });
  }

  refresh(refresh_token: string): Promise<Response> {
    return this.token({ grant_type: "refresh_token", refresh_token });
  }

  /** Performs all steps from the consent to the tokens. */
  async tokens(browser: Browser, roles: Record<string, string>): Promise<Tokens> {
    const back = await this.connect(browser, roles);
    const response = await this.exchange(back.searchParams.get("code") ?? "");
    const tokens = await response.json<Tokens>();
    if (!response.ok) throw new Error(JSON.stringify(tokens));
    return tokens;
  }
}

/** A household in which Ann has given Claude the role. */
export async function connectNewClient(
  role = "agent",
): Promise<{ home: TestHousehold; client: Client; tokens: Tokens }> {
  const home = await createFreshHousehold();
  const browser = await openSignedIn([home, "ann", "owner"]);
  const client = await Client.register();
  return { home, client, tokens: await client.tokens(browser, { [home.id]: role }) };
}

/** Status and OAuth error code of a refusal. */
export const readError = async (response: Response): Promise<string> =>
  `${response.status} ${(await response.json<{ error?: string }>()).error}`;

let calls = 0;

/** Sends one call to the MCP server, like a client of the 2025 revisions. */
export const callMcp = (
  token: string | undefined,
  method: string,
  params: object,
  path = "/mcp",
): Promise<Response> =>
  sendRequest(path, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-11-25",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++calls, method, params }),
  });

/** The text of a tool's result or error. */
export async function callTool(token: string, name: string, args: object = {}): Promise<string> {
  const response = await callMcp(token, "tools/call", { name, arguments: args });
  const text = await response.text();
  if (!response.ok) return `${response.status} ${text}`;
  const data = /^data: (.+)$/m.exec(text)?.[1] ?? text;
  const { result, error } = JSON.parse(data) as {
    result?: { content: { text?: string }[] };
    error?: unknown;
  };
  return result?.content.map((one) => one.text ?? "").join("\n") ?? JSON.stringify(error);
}

/** The status of a call with this token: 200 if it gives any access. */
export async function isOpening(token: string | undefined, path?: string): Promise<number> {
  const response = await callMcp(token, "tools/list", {}, path);
  await response.text();
  return response.status;
}
