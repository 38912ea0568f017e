/** A household with two sources, an agent as classifier, and clients of `/mcp/messages`. */
import { env } from "cloudflare:workers";
import type { ParsedBytes } from "../../../../src/attachments/receive-parsed.ts";
import { receiveParsedMessages } from "../../../../src/exchange/source-calls/receive-parsed-messages.ts";
import { buildFakeWebhookSecret } from "../../household/support.ts";
import { unwrap } from "../../outcomes.ts";
import { buildParsed } from "../../sources/support.ts";
import { Caller, createFreshHousehold, expectOkJson, type TestHousehold } from "../../support.ts";
import { createToolClient } from "../tool-client.ts";

export const MESSAGES = { path: "/mcp/messages" };
export const ALL_PATHS = ["msg", "msg/*/outbox", "msg/classify"];

export const { useTool, useFields, readCode } = createToolClient(MESSAGES.path);

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
