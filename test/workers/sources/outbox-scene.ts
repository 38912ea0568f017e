/** A source with drafts in a household whose owner has a chat of their own in Telegram. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { Principal } from "../../../src/auth/principal.ts";
import type {
  DraftView,
  IncomingSourceMessage,
  SourceRpc,
} from "../../../src/contracts/sources.ts";
import { webhookKind } from "../../../src/source-kinds/webhook/webhook.ts";
import type { OutgoingMessage, SourceSendResult } from "../../../src/source-kinds/source-kind.ts";
import { getHouseholdStub, getSourceStub } from "../../../src/stubs.ts";
import { buildFakeWebhookSecret } from "../household/support.ts";
import { createTelegramHousehold } from "../ingress/chats/telegram-household.ts";
import { unwrap } from "../outcomes.ts";
import { expectOkJson, waitUntil } from "../support.ts";
import { buildIncoming, confirmChat } from "./support.ts";

/** The owner's private chat. */
export const OWNERS_CHAT = 1_003;

export async function createOutboxScene() {
  const home = await createTelegramHousehold();
  await home.server.act.start(OWNERS_CHAT);
  const hook = {
    kind: "webhook",
    secret: buildFakeWebhookSecret("hook"),
    url: "https://receiver.test/hook",
  };
  await expectOkJson(
    await home.owner.postBlocks(
      { config: { dispatch: { alerts: { telegram: OWNERS_CHAT } } } },
      { config: { sources: { hook } } },
    ),
  );
  await confirmChat(
    { id: home.id, actor: home.owner.actor },
    { channel: "telegram", address: String(OWNERS_CHAT) },
  );
  const rpc: SourceRpc = getSourceStub(env, home.id, "hook");
  await waitUntil(async () => expect((await rpc.messages.status()).ok).toBe(true));
  const object = env.SOURCES.getByName(`${home.id}/hook`);
  const person: Principal = {
    household: home.id,
    actor: home.owner.actor,
    role: "owner",
    credential: "session:browser",
    verified: true,
  };
  const agent: Principal = {
    household: home.id,
    actor: "scout",
    role: "agent",
    credential: "key:k1",
  };
  const receive = async (change: Partial<IncomingSourceMessage> = {}): Promise<string> =>
    unwrap(await rpc.messages.receive([buildIncoming(1, change)]))[0]!.id;
  const write = async (message: string, body = "I am coming."): Promise<DraftView> =>
    unwrap(await rpc.outbox.create(agent, { message, body }));
  const read = async (id: string): Promise<DraftView> => unwrap(await rpc.outbox.read(id));
  const approve = async ({ id, digest }: DraftView) =>
    unwrap(await rpc.outbox.approve(person, { draft: id, digest }));
  /** Adds a job as the watcher does. */
  const addJob = async (kind: string, payload: object): Promise<void> =>
    await runInDurableObject(object, (_instance, { storage }) => {
      storage.sql.exec(
        "INSERT INTO jobs (queue, kind, payload, due) VALUES (?, ?, ?, 0)",
        `test ${crypto.randomUUID()}`,
        kind,
        JSON.stringify(payload),
      );
    });
  const runAlarm = async (): Promise<void> =>
    await runInDurableObject(object, (instance) => instance.alarm());
  /** Lets the time pass that the owner has for undoing, or until another retry. */
  const passTime = async (milliseconds = 11_000): Promise<void> => {
    vi.setSystemTime(Date.now() + milliseconds);
    await runAlarm();
  };
  const disconnect = async (): Promise<void> => {
    const { keys } = await home.owner.read("/api/v1/keys");
    const key = (keys as { id: string; actor: string }[]).find(
      ({ actor }) => actor === home.owner.actor,
    );
    const caller: Principal = { ...person, credential: `key:${key!.id}` };
    const { sources } = getHouseholdStub(env, home.id);
    unwrap(await sources.setStatus(caller, "hook", "disconnected"));
  };
  /** The message in the owner's chat that contains the text. */
  const waitForRequest = async (text: string, chat = OWNERS_CHAT) =>
    await waitUntil(async () => {
      const found = home.server.inChat(chat).find((one) => one.text.includes(text));
      expect(found).toBeDefined();
      return found!;
    });
  return {
    ...home,
    home,
    rpc,
    object,
    person,
    agent,
    receive,
    write,
    read,
    approve,
    addJob,
    runAlarm,
    passTime,
    disconnect,
    waitForRequest,
  };
}
export type OutboxScene = Awaited<ReturnType<typeof createOutboxScene>>;

/** Takes the place of the provider, and records what it gets. Objects of earlier tests may send too. */
export function stubProvider(...results: SourceSendResult[]) {
  const given: { household: string; message: OutgoingMessage }[] = [];
  vi.spyOn(webhookKind, "send").mockImplementation(async ({ household }, message) => {
    const earlier = given.filter((one) => one.household === household).length;
    given.push({ household, message });
    return results[earlier] ?? { ok: true, external_id: "sent-1" };
  });
  return {
    listFor: ({ id }: Pick<OutboxScene, "id">): OutgoingMessage[] =>
      given.flatMap(({ household, message }) => (household === id ? [message] : [])),
  };
}
