import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { formatEvent } from "../../src/delivery/message-excerpts.ts";
import { buildSpoken } from "../support/answers.ts";
import { expectNaming } from "../support/naming.ts";
import { startDiscord } from "../support/local-servers/discord-server.ts";
import { startGoogleChat } from "../support/local-servers/google-chat-server.ts";
import { type SharedExchange, joinExchange } from "../support/exchange-process.ts";
import { readTwimlMessage } from "../support/channels/twilio.ts";
import { startTwilio } from "../support/local-servers/twilio-server.ts";

const ZOE = "+15005550101";
const PHOTO = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3);

let stack: SharedExchange;
let phones: Awaited<ReturnType<typeof startTwilio>>;
let room: Awaited<ReturnType<typeof startDiscord>>;
let space: Awaited<ReturnType<typeof startGoogleChat>>;

interface Read {
  envelope: { status: string; executor: string | null; history: { note?: string }[] };
  attachments: { size: number }[];
}

const call = async (key: string, path: string, mess?: object[]): Promise<unknown> => {
  const response = await fetch(`${stack.ready.origin}${path}`, {
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(mess === undefined ? {} : { method: "POST", body: JSON.stringify({ MESS: mess }) }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return await response.json();
};

const waitUntil = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 20_000, interval: 50 });

const createThread = async (intent: string): Promise<string> => {
  const asked = (await call(stack.ready.keys.agent, "/mess", [
    { request: { intent, requires: ["juggle"] } },
  ])) as { MESS: [{ ack: { ref: string } }] };
  return asked.MESS[0].ack.ref;
};
const read = async (ref: string): Promise<Read> =>
  (await call(stack.ready.keys.agent, `/mess/${ref}`)) as Read;

const write = async (
  body: string,
  media: { type: string; bytes: Uint8Array }[] = [],
): Promise<string | undefined> => {
  const response = await phones.act.receiveSms({ from: ZOE, body, media });
  expect(response.status).toBe(200);
  return readTwimlMessage(await response.text());
};

beforeAll(async () => {
  stack = await joinExchange();
  const { origin, household, keys } = stack.ready;
  phones = await startTwilio({ hook: `${origin}/hooks/twilio/${household}` });
  room = await startDiscord();
  space = await startGoogleChat();
  const buildExecutor = (id: string, notify: object) => ({
    config: { executor: { id, name: id, capabilities: ["juggle"], notify } },
  });
  await call(keys.owner, "/mess", [
    { config: { dispatch: { sms: phones.settings() } } },
    buildExecutor("zoe", { sms: ZOE }),
    buildExecutor("family", { discord: room.address() }),
    buildExecutor("office", { google_chat: space.address() }),
  ]);
});
afterAll(async () => {
  await Promise.all([phones.stop(), room.stop(), space.stop()]);
});

it("a member claims a request by SMS, sends a photo and completes it, and a Discord channel shows it", async () => {
  const intent = "juggle three balls";
  const ref = await createThread(intent);
  await waitUntil(() => {
    expect(phones.messages).toHaveLength(1);
    expect(room.messages).toHaveLength(1);
    expect(space.messages).toHaveLength(1);
  });

  const held = { status: "claimed", holdsThread: true } as const;
  expect(await write("1")).toBe(buildSpoken("1", intent, held));
  const photo = { type: "image/png", bytes: PHOTO };
  expect(await write("all in the air", [photo])).toBe(buildSpoken("all in the air", intent, held));
  expect(await write("done")).toBe(buildSpoken("done", intent, { ...held, status: "completed" }));

  const { envelope, attachments } = await read(ref);
  expect(envelope).toMatchObject({ status: "completed", executor: "zoe" });
  expect(attachments).toHaveLength(1);
  const completed = formatEvent({ what: "completed", by: "zoe" }, {});
  await waitUntil(() => expect(room.messages[0]?.content.toLowerCase()).toContain(completed));
  expect(room.messages).toHaveLength(1);
});

it("an SMS that a delivery report marks as undelivered is sent again", async () => {
  const before = phones.messages.length;
  const ref = await createThread("juggle four balls");
  const sent = await waitUntil(() => {
    expect(phones.messages.length).toBeGreaterThan(before);
    return phones.messages.at(-1)!;
  });
  expect(sent.callback).toContain(`/hooks/twilio/${stack.ready.household}?ref=${ref}`);

  const response = await phones.act.sendReceipt(sent, "undelivered", { code: 30_003 });

  expect(response.status).toBe(200);
  await waitUntil(() => expect(phones.messages.length).toBeGreaterThan(before + 1));
  expect(phones.messages.at(-1)?.body).toBe(sent.body);
  expect((await read(ref)).envelope.history).toContainEqual(
    expect.objectContaining({
      action: "delivery_failed",
      note: expectNaming("zoe", "sms", 30_003),
    }),
  );
});

it("a request is delivered to Discord after its outage", async () => {
  const before = room.messages.length;
  room.fail("broken");

  await createThread("juggle five balls");

  await vi.waitFor(() => expect(room.messages.length).toBe(before + 1), {
    timeout: 20_000,
    interval: 100,
  });
}, 60_000);
