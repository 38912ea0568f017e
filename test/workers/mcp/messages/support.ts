/** A household with two sources, an agent as classifier, and clients of `/mcp/messages`. */
import { env } from "cloudflare:workers";
import type { ParsedBytes } from "../../../../src/attachments/receive-parsed.ts";
import { receiveParsedMessages } from "../../../../src/exchange/source-calls/receive-parsed-messages.ts";
import { buildFakeWebhookSecret } from "../../household/support.ts";
import { unwrap } from "../../outcomes.ts";
import { buildParsed } from "../../sources/support.ts";
import { Caller, createFreshHousehold, expectOkJson, type TestHousehold } from "../../support.ts";
import { callLegacy, callTool, type ToolAnswer } from "../support.ts";

export const MESSAGES = { path: "/mcp/messages" };
export const ALL_PATHS = ["msg", "msg/*/outbox", "msg/classify"];

export type Era = "2026" | "2025";
export const ERAS: readonly Era[] = ["2026", "2025"];

export interface MessageAnswer {
  text: string;
  isError: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any
  fields: any;
  // oxlint-disable-next-line typescript/no-explicit-any
  content: any[];
}

const toAnswer = ({ text, isError, result }: ToolAnswer): MessageAnswer => ({
  text,
  isError,
  fields: result.structuredContent,
  content: result.content,
});

/** Calls a tool at `/mcp/messages` as a client of the protocol's generation. */
export async function useTool(
  caller: Caller,
  name: string,
  args: object = {},
  era: Era = "2026",
): Promise<MessageAnswer> {
  if (era === "2026") return toAnswer(await callTool(caller, name, args, MESSAGES));
  const params = { name, arguments: args };
  const { result, error } = await callLegacy(caller, "tools/call", params, {}, MESSAGES.path);
  if (error) throw new Error(`${error.code} ${error.message}`);
  const [{ text }] = result.content as [{ text: string }];
  return toAnswer({ text, isError: result.isError === true, result });
}

/** The fields of a result that must not be an error. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function useFields(...args: Parameters<typeof useTool>): Promise<any> {
  const { text, isError, fields } = await useTool(...args);
  if (isError) throw new Error(text);
  return fields;
}

/** The error code with which a tool refuses. */
export async function readCode(...args: Parameters<typeof useTool>): Promise<string> {
  const { text, isError } = await useTool(...args);
  return isError ? (/^\w+/.exec(text)?.[0] ?? "no code") : "no error";
}

export const URGENT = "flooding";

export interface MessageScene {
  home: TestHousehold;
  /** Has all paths. */
  secretary: Caller;
  addLimitedKey: (...paths: string[]) => Promise<Caller>;
  /** @returns the id */
  receive: (n: number, change?: Partial<ParsedBytes>, source?: string) => Promise<string>;
  /** Receives a message that a rule makes NOTIFY. */
  receiveUrgent: (n: number, source?: string) => Promise<string>;
}

/** The source `mail` can send, `alerts` cannot. */
export async function createMessageScene(): Promise<MessageScene> {
  const home = await createFreshHousehold();
  const sources = {
    mail: { kind: "email", from: "home@here.test" },
    alerts: { kind: "webhook", secret: buildFakeWebhookSecret("alerts") },
  };
  const messages = {
    classifier: { kind: "agent" },
    rules: [{ words: [URGENT], tier: "NOTIFY" }],
  };
  await expectOkJson(await home.owner.post("/api/v1/config", { config: { sources, messages } }));
  let keys = 0;
  const addLimitedKey = async (...paths: string[]) => {
    const actor = `reader-${++keys}`;
    const body = { actor, role: "agent", paths };
    const { key } = await expectOkJson(await home.owner.post("/api/v1/keys", body));
    return new Caller(actor, key as string);
  };
  const receive: MessageScene["receive"] = async (n, change = {}, source = "mail") => {
    const target = { household: home.id, source };
    const message = { ...buildParsed(n), ...change };
    return unwrap(await receiveParsedMessages(env, target, [message]))[0]!.id;
  };
  return {
    home,
    secretary: await addLimitedKey(...ALL_PATHS),
    addLimitedKey,
    receive,
    receiveUrgent: (n, source) => receive(n, { subject: `A ${URGENT} in the cellar` }, source),
  };
}
