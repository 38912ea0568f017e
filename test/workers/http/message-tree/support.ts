/** A household with two sources, and calls to the message tree as a shell makes them. */
import { env } from "cloudflare:workers";
import type { ParsedBytes } from "../../../../src/attachments/receive-parsed.ts";
import { receiveParsedMessages } from "../../../../src/exchange/source-calls/receive-parsed-messages.ts";
import { buildFakeWebhookSecret } from "../../household/support.ts";
import { unwrap } from "../../outcomes.ts";
import { buildParsed } from "../../sources/support.ts";
import { Caller, createFreshHousehold, expectOkJson, readRefusal } from "../../support.ts";

export interface TreeAnswer {
  status: number;
  text: string;
  headers: Headers;
}

/** The type that curl sends with `-d`. */
const FORM_TYPE = "application/x-www-form-urlencoded";

export class TreeCaller {
  readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  #send = async (path: string, init: RequestInit = {}): Promise<Response> =>
    await this.caller.fetch(`/msg/${path}`, { redirect: "manual", ...init });

  async fetch(path: string, init: RequestInit = {}): Promise<TreeAnswer> {
    const response = await this.#send(path, init);
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  /** The text of a file that can be read. */
  async read(path: string): Promise<string> {
    const { status, text } = await this.fetch(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return text;
  }

  list = async (path: string): Promise<string[]> =>
    (await this.read(path)).split("\n").slice(0, -1);

  write = async (
    path: string,
    body: string,
    headers: Record<string, string> = {},
    method = "POST",
  ) => await this.fetch(path, { method, body, headers: { "Content-Type": FORM_TYPE, ...headers } });

  /** Such as `404 not_found`, of a read, or of a write with a body. */
  refusal = async (path: string, body?: string): Promise<string> =>
    await readRefusal(await this.#send(path, body === undefined ? {} : { method: "POST", body }));
}

export async function createTreeScene() {
  const home = await createFreshHousehold();
  const secret = buildFakeWebhookSecret("alerts");
  const sources = {
    mail: { kind: "webhook", secret, url: "https://receiver.test/hook" },
    alerts: { kind: "webhook", secret },
  };
  await expectOkJson(await home.owner.post("/api/v1/config", { config: { sources } }));
  return {
    home,
    owner: new TreeCaller(home.owner),
    agent: new TreeCaller(home.agent),
    receive: async (message: Partial<ParsedBytes> = {}, source = "mail"): Promise<string> => {
      const ids = { household: home.id, source };
      const parsed = { ...buildParsed(1), external_id: crypto.randomUUID(), ...message };
      return unwrap(await receiveParsedMessages(env, ids, [parsed]))[0]!.id;
    },
    /** A key that is limited to these paths. */
    limit: async (...paths: string[]): Promise<TreeCaller> => {
      const body = { actor: "reader", role: "agent", paths };
      const { key } = await expectOkJson(await home.owner.post("/api/v1/keys", body));
      return new TreeCaller(new Caller("reader", key as string));
    },
    readDraft: async (id: string) => await home.owner.read(`/sources/mail/drafts/${id}`),
  };
}
