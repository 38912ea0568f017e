import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startDiscord } from "../support/discord-server.ts";
import { startGoogleChat } from "../support/google-chat-server.ts";
import { removeDirectories, type Stack, startStack } from "../support/exchange-process.ts";
import { readTwimlMessage } from "../support/twilio.ts";
import { startTwilio } from "../support/twilio-server.ts";

const ZOE = "+15005550101";
const PHOTO = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3);

let stack: Stack;
let phones: Awaited<ReturnType<typeof startTwilio>>;
let room: Awaited<ReturnType<typeof startDiscord>>;
let space: Awaited<ReturnType<typeof startGoogleChat>>;

interface Read {
  envelope: { status: string; executor: string | null; history: { note?: string }[] };
  attachments: { size: number }[];
}

const call = async (key: string, path: string, mess?: object[]): Promise<unknown> => {
  const answer = await fetch(`${stack.ready.origin}${path}`, {
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(mess === undefined ? {} : { method: "POST", body: JSON.stringify({ MESS: mess }) }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return await answer.json();
};

const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 20_000, interval: 50 });

const ask = async (intent: string): Promise<string> => {
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
  const answer = await phones.act.sms({ from: ZOE, body, media });
  expect(answer.status).toBe(200);
  return readTwimlMessage(await answer.text());
};

beforeAll(async () => {
  stack = await startStack();
  const { origin, household, keys } = stack.ready;
  phones = await startTwilio({ hook: `${origin}/hooks/twilio/${household}` });
  room = await startDiscord();
  space = await startGoogleChat();
  const executor = (id: string, notify: object) => ({
    config: { executor: { id, name: id, capabilities: ["juggle"], notify } },
  });
  await call(keys.owner, "/mess", [
    { config: { dispatch: { sms: phones.settings() } } },
    executor("zoe", { sms: ZOE }),
    executor("family", { discord: room.address() }),
    executor("office", { google_chat: space.address() }),
  ]);
});
afterAll(async () => {
  await stack.stop();
  await Promise.all([phones.stop(), room.stop(), space.stop()]);
  removeDirectories();
});

it("asks a phone and two rooms; the phone takes it, sends a photo and ends it, and the rooms see so", async () => {
  const ref = await ask("juggle three balls");
  await eventually(() => {
    expect(phones.messages).toHaveLength(1);
    expect(room.messages).toHaveLength(1);
    expect(space.messages).toHaveLength(1);
  });

  expect(await write("1")).toMatch(/^Taken: juggle three balls\./);
  expect(await write("all in the air", [{ type: "image/png", bytes: PHOTO }])).toBe(
    "Passed on: juggle three balls. Thank you!",
  );
  expect(await write("done")).toBe("Done: juggle three balls. Thank you!");

  const { envelope, attachments } = await read(ref);
  expect(envelope).toMatchObject({ status: "completed", executor: "zoe" });
  expect(attachments).toHaveLength(1);
  await eventually(() => expect(room.messages[0]?.content).toMatch(/Completed/));
  expect(room.messages).toHaveLength(1);
});

it("sends again what a receipt says never arrived", async () => {
  const before = phones.messages.length;
  const ref = await ask("juggle four balls");
  const sent = await eventually(() => {
    expect(phones.messages.length).toBeGreaterThan(before);
    return phones.messages.at(-1)!;
  });
  expect(sent.callback).toContain(`/hooks/twilio/${stack.ready.household}?ref=${ref}`);

  const answer = await phones.act.receipt(sent, "undelivered", { code: 30_003 });

  expect(answer.status).toBe(200);
  await eventually(() => expect(phones.messages.length).toBeGreaterThan(before + 1));
  expect(phones.messages.at(-1)?.body).toBe(sent.body);
  expect(JSON.stringify((await read(ref)).envelope.history)).toContain("error 30003");
});

it("arrives in a room that was down, when it is up again", async () => {
  const before = room.messages.length;
  room.fail("broken");

  await ask("juggle five balls");

  await vi.waitFor(() => expect(room.messages.length).toBe(before + 1), {
    timeout: 20_000,
    interval: 100,
  });
}, 60_000);
