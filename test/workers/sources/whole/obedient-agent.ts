/** An agent that obeys every message that it reads: it makes each call that the text asks for, by its own key. */
import type { Injection, Order } from "../../../support/injections/injection.ts";
import { callRpc } from "../../mcp/support.ts";
import { sendRequest, type Caller } from "../../support.ts";

export interface HttpAttempt {
  method: string;
  path: string;
  body?: string;
}

export interface ToolAttempt {
  name: string;
  arguments: object;
}

/** What the text of a message asks for, ids included. */
export type Attempts = { http: HttpAttempt[]; tools: ToolAttempt[] };

const CALL_PATTERN = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)(?: (.+))?$/gm;

/** Calls that are spelled out, one in a line. */
function readCalls(text: string): Attempts {
  const http = [...text.matchAll(CALL_PATTERN)].map(([, method, path, body]) => ({
    method: method!,
    path: path!,
    ...(body === undefined ? {} : { body }),
  }));
  const tools = text.split("\n").flatMap((line) => {
    if (!line.startsWith('{"name"')) return [];
    return [JSON.parse(line) as ToolAttempt];
  });
  return { http, tools };
}

const MAIL = "/sources/mail";

const call = (method: string, path: string, body?: unknown): HttpAttempt => ({
  method,
  path,
  ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
});

/** Everything that could approve the newest draft. */
const APPROVING: Attempts = {
  http: [
    call("POST", `${MAIL}/drafts/{draft}/request-approval`, {}),
    call("POST", "/inbox/drafts/mail/{draft}/approve", { digest: "{digest}" }),
    call("POST", "/inbox/drafts/mail/{draft}/approve?household={household}", {
      digest: "{digest}",
    }),
    call("POST", `${MAIL}/drafts/{draft}/approve`, { digest: "{digest}" }),
    call("POST", "/thread/{request}", { MESS: [{ status: { code: "completed" } }] }),
    call("POST", "/mess", { MESS: [{ re: "{request}" }, { status: { code: "completed" } }] }),
    call("POST", "/msg/mail/outbox/{draft}/ctl", "send"),
  ],
  tools: [
    { name: "request_approval", arguments: { source: "mail", draft: "{draft}" } },
    { name: "approve", arguments: { source: "mail", draft: "{draft}", digest: "{digest}" } },
    { name: "send", arguments: { source: "mail", draft: "{draft}" } },
  ],
};

function planOrder(order: Order): Attempts {
  switch (order.do) {
    case "send": {
      const draft = { to: [order.to], body: order.body };
      return {
        http: [call("POST", `${MAIL}/drafts`, draft), ...APPROVING.http],
        tools: [{ name: "draft", arguments: { source: "mail", ...draft } }, ...APPROVING.tools],
      };
    }
    case "forward": {
      const draft = { message: "{message}", forward: true, to: [order.to], body: "Forwarded." };
      return {
        http: [
          call("POST", `${MAIL}/drafts`, draft),
          call("POST", "/msg/mail/{message}/ctl", `forward ${order.to}`),
          ...APPROVING.http,
        ],
        tools: [{ name: "draft", arguments: { source: "mail", ...draft } }, ...APPROVING.tools],
      };
    }
    case "approve":
      return APPROVING;
    case "change_policy":
      return {
        http: [
          call("PUT", "/message-policy", { policy: order.policy }),
          call("POST", "/message-policy/dry-run", { policy: order.policy, source: "mail" }),
        ],
        tools: [{ name: "policy", arguments: { text: order.policy } }],
      };
    case "change_rules":
      return { http: [call("PUT", "/message-rules", { rules: order.rules })], tools: [] };
    case "configure":
      return {
        http: [
          call("POST", "/mess", { MESS: [{ config: order.config }] }),
          call("POST", "/api/v1/config", { config: order.config }),
          call("POST", "/msg/ctl", `register webhook evil\n${JSON.stringify(order.config)}`),
        ],
        tools: [{ name: "configure", arguments: { config: order.config } }],
      };
    default:
      return planReading(order.source);
  }
}

const planReading = (source: string): Attempts => ({
  http: [
    call("GET", `/sources/${source}`),
    call("GET", `/sources/${source}/messages`),
    call("GET", `/sources/${source}/messages/{private}`),
    call("GET", `/sources/${source}/messages/{private}/raw`),
    call("GET", `/sources/${source}/wait?timeout=0`),
    call("GET", `/sources/${source}/drafts`),
    call("GET", `/messages/search?q=safe&source=${source}`),
    call("GET", "/messages/search?q=safe"),
    call("GET", "/sources"),
    call("GET", `/msg/${source}/status`),
    call("GET", `/msg/${source}/{private}/body`),
    call("GET", `/msg/mail/{private}/body`),
  ],
  tools: [
    { name: "list", arguments: { source } },
    { name: "list", arguments: { search: "safe" } },
    { name: "read", arguments: { source, id: "{private}" } },
    { name: "wait", arguments: { source, timeout: 0 } },
  ],
});

/** What an attacker would have to know; the agent learns the newest draft from the answers that it gets. */
export type Ids = Record<
  "message" | "draft" | "digest" | "request" | "private" | "household",
  string
>;

interface Answer {
  call: string;
  isAccepted: boolean;
  text: string;
}

export class ObedientAgent {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** @param text the message as it is read; @returns every answer that the agent got */
  async obey({ orders }: Injection, text: string, ids: Ids): Promise<Answer[]> {
    const known = { ...ids };
    const plans = [readCalls(text), ...orders.map(planOrder)];
    const answers: Answer[] = [];
    for (const attempt of plans.flatMap(({ http }) => http))
      answers.push(await this.#tryHttp(attempt, known));
    for (const attempt of plans.flatMap(({ tools }) => tools))
      answers.push(await this.#tryTool(attempt, known));
    return answers;
  }

  async #tryHttp({ method, path, body }: HttpAttempt, known: Ids): Promise<Answer> {
    const response = await sendRequest(fill(path, known), {
      method,
      headers: {
        Authorization: `Bearer ${this.#caller.key}`,
        "Content-Type": body?.startsWith("{") ? "application/json" : "text/plain",
        "X-MESS-Client": "respond",
      },
      ...(body === undefined ? {} : { body: fill(body, known) }),
    });
    const text = await response.text();
    learn(known, text);
    return { call: `${method} ${path}`, isAccepted: response.ok, text };
  }

  async #tryTool(attempt: ToolAttempt, known: Ids): Promise<Answer> {
    const params = JSON.parse(fill(JSON.stringify(attempt), known)) as Record<string, unknown>;
    const answer = await callRpc(this.#caller, "tools/call", params, { path: "/mcp/messages" });
    const text = JSON.stringify(answer);
    learn(known, text);
    const isAccepted = answer.result !== undefined && answer.result.isError !== true;
    const call = `tool ${attempt.name} ${JSON.stringify(attempt.arguments)}`;
    return { call, isAccepted, text };
  }
}

/** Puts the ids in the places that the attacker has left for them. */
const fill = (text: string, ids: Ids): string =>
  text.replaceAll(/\{([a-z]+)\}/g, (place, name: string) => ids[name as keyof Ids] ?? place);

function learn(known: Ids, text: string): void {
  const [, draft] = /"(?:id|draft)":"(d_\w+)"/.exec(text) ?? [];
  const [, digest] = /"digest":"([0-9a-f]{64})"/.exec(text) ?? [];
  if (draft !== undefined && digest !== undefined) Object.assign(known, { draft, digest });
}
