/** Tests which messages to the household's bot reach its source, and how the source answers them. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PNG } from "../../../support/media/png.ts";
import { ANN, createTelegramHousehold } from "../../ingress/chats/telegram-household.ts";
import { interceptCalls } from "../../intercept-calls.ts";
import {
  addSource,
  listInSource,
  readSourceStatus,
  sendFromSource,
  setMessageCount,
} from "./support.ts";

const STRANGER = 5_005;
const DAY_MS = 86_400_000;

async function createSourceHousehold() {
  const home = await createTelegramHousehold();
  await addSource(home, { kind: "telegram" });
  const listBodies = async () => (await listInSource(home)).map(({ body }) => body);
  /** Makes the messages that were sent to members as old as this. */
  const ageSent = async (ms: number) =>
    await runInDurableObject(env.HOUSEHOLDS.getByName(home.id), (_object, { storage }) => {
      storage.sql.exec("UPDATE sendings SET at = at - ?", ms);
    });
  return { ...home, listBodies, ageSent };
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("a message to the bot of a household with a Telegram source", () => {
  it("a stranger's message reaches the source with its author, and answers no open task", async () => {
    const { askLook, listMessagesIn, readStatus, server, ...home } = await createSourceHousehold();
    const { ref } = await askLook("look for the keys");

    await server.act.write({ chat: STRANGER, text: "done" });

    expect(await listInSource(home)).toMatchObject([
      {
        kind: "telegram",
        sender: String(STRANGER),
        sender_name: "Somebody",
        recipient: String(server.bot),
        body: "done",
        channel: String(STRANGER),
      },
    ]);
    expect(await listMessagesIn(ref)).toEqual([]);
    expect(await readStatus(ref)).toBe("pending");
    expect(server.inChat(STRANGER)).toEqual([]);
    expect(server.reactions.size).toBe(0);
  });

  it("a stranger's message that a full source refuses is repeated by Telegram, but not a late one, and the owner sees the problem", async () => {
    const { server, listBodies, ...home } = await createSourceHousehold();
    const chat = { id: STRANGER, type: "private" };
    const date = Math.floor(Date.now() / 1_000);
    const message = { message_id: 9, date, chat, from: { id: STRANGER }, text: "is it free?" };
    const old = { ...message, message_id: 8, date: date - 3_600 };
    await setMessageCount(home, 200_000);

    const late = await server.act.update({ message: old }, { update: 8 });
    const refused = await server.act.update({ message }, { update: 9 });
    const full = await readSourceStatus(home);
    await setMessageCount(home, 0);
    const stored = await server.act.update({ message }, { update: 9 });

    expect(late.status).toBe(200);
    expect(refused.status).toBe(500);
    expect(full.problem).toContain("200000 messages");
    expect(stored.status).toBe(200);
    expect(await listBodies()).toEqual(["is it free?"]);
    expect(await readSourceStatus(home)).not.toHaveProperty("problem");
  });

  it("the text that a stranger sends with /start reaches the source, and the command alone does not", async () => {
    const { server, listBodies } = await createSourceHousehold();

    await server.act.start(STRANGER);
    await server.act.write({ chat: STRANGER, text: "/start is the flat free?" });

    expect(await listBodies()).toEqual(["/start is the flat free?"]);
    expect(server.inChat(STRANGER)).toHaveLength(2);
  });

  it("a photo of a stranger is fetched and stored with its caption", async () => {
    const home = await createSourceHousehold();

    await home.server.act.write({
      chat: STRANGER,
      text: "our cellar",
      file: { kind: "photo", bytes: PNG },
    });

    const [message] = await listInSource(home);
    expect(message).toMatchObject({
      body: "our cellar",
      attachments: [{ name: "photo.jpg", mime: "image/png", size: PNG.byteLength }],
    });
  });

  it("a repeated update is stored once, also after an offer that it could answer", async () => {
    const { askLook, server, listBodies, listMessagesIn } = await createSourceHousehold();
    const message = {
      message_id: 77,
      date: Math.floor(Date.now() / 1_000),
      chat: { id: ANN, type: "private" },
      from: { id: ANN, first_name: "Ann" },
      text: "the milk is empty",
    };
    await server.act.update({ message }, { update: 7 });
    const { ref } = await askLook("look for the keys");

    await server.act.update({ message }, { update: 7 });

    expect(await listBodies()).toEqual(["the milk is empty"]);
    expect(await listMessagesIn(ref)).toEqual([]);
  });

  it.each([
    { text: "in the hall", goesTo: "task" },
    { text: "1", goesTo: "task" },
    { text: "done", goesTo: "task" },
    { text: "where did you see them?", goesTo: "source" },
  ])("with one open offer, a member's text $text goes to the $goesTo", async ({ text, goesTo }) => {
    const { askLook, write, listBodies, listMessagesIn } = await createSourceHousehold();
    const { ref } = await askLook("look for the keys");

    await write({ text });

    expect(await listBodies()).toEqual(goesTo === "source" ? [text] : []);
    expect(await listMessagesIn(ref)).toHaveLength(goesTo === "task" ? 1 : 0);
  });

  it.each(["in the hall", "1", "done"])(
    "with two open offers, a member's text %s goes to the source",
    async (text) => {
      const { askLook, write, listBodies, listMessagesIn } = await createSourceHousehold();
      const first = await askLook("look for the keys");
      const second = await askLook("look at the meter");

      await write({ text });

      expect(await listBodies()).toEqual([text]);
      expect(await listMessagesIn(first.ref)).toEqual([]);
      expect(await listMessagesIn(second.ref)).toEqual([]);
    },
  );

  it.each([
    { text: "in the hall", goesTo: "source" },
    { text: "done", goesTo: "task" },
  ])(
    "with one task of the day before yesterday, the text $text goes to the $goesTo",
    async (row) => {
      const { askLook, write, listBodies, listMessagesIn, ageSent } = await createSourceHousehold();
      const { ref } = await askLook("look for the keys");
      await ageSent(2 * DAY_MS);

      await write({ text: row.text });

      expect(await listBodies()).toEqual(row.goesTo === "source" ? [row.text] : []);
      expect(await listMessagesIn(ref)).toHaveLength(row.goesTo === "task" ? 1 : 0);
    },
  );

  it("without an open task, a member's text goes to the source, and a reaction confirms it without a thumb", async () => {
    const { write, listBodies, server } = await createSourceHousehold();

    const { message } = await write({ text: "the milk is empty" });

    expect(await listBodies()).toEqual(["the milk is empty"]);
    expect(server.reactions.get(message!)).toBe("👀");
    expect(server.unheard).toEqual([]);
  });

  it("a member's keyword that fits no task goes to the source, and a sentence says so", async () => {
    const { write, listBodies, server } = await createSourceHousehold();

    await write({ text: "done" });

    expect(await listBodies()).toEqual(["done"]);
    expect(server.inChat(ANN).map(({ text }) => text)).toEqual([
      expect.stringContaining("it went to the inbox"),
    ]);
    expect(server.reactions.size).toBe(0);
  });

  it("a reply to a task's message and a tap reach the task, whatever else is open", async () => {
    const { askLook, write, listBodies, listMessagesIn, readStatus, server } =
      await createSourceHousehold();
    const first = await askLook("look for the keys");
    const second = await askLook("look at the meter");

    await write({ to: first.message, text: "are they in the hall?" });
    await server.act.tap(second.message, "claimed");

    expect(await listBodies()).toEqual([]);
    expect(await listMessagesIn(first.ref)).toEqual(["status"]);
    expect(await readStatus(second.ref)).toBe("claimed");
  });

  it("a disconnected source gets nothing: the message is handled as without a source", async () => {
    const { askLook, write, listMessagesIn, ...home } = await createSourceHousehold();
    await addSource(home, { kind: "telegram", status: "disconnected" });
    const first = await askLook("look for the keys");
    const second = await askLook("look at the meter");

    await write({ text: "in the hall" });

    expect(await listInSource(home)).toEqual([]);
    expect(await listMessagesIn(first.ref)).toEqual([]);
    expect(await listMessagesIn(second.ref)).toEqual(["response"]);
  });

  it("a second source of the kind is refused, since both would get the same messages", async () => {
    const { owner } = await createSourceHousehold();

    const response = await owner.postBlocks({
      config: { sources: { other: { kind: "telegram" } } },
    });

    expect(response.status).toBe(400);
    expect(await response.text()).toContain("config.sources.other.kind");
  });
});

describe("the calls to the household of a message to the bot", () => {
  async function countCalls(work: () => Promise<unknown>, id: string): Promise<string[]> {
    const calls: string[] = [];
    interceptCalls(env.HOUSEHOLDS, "household", async (name, object, call) => {
      if (object === id) calls.push(name);
      return await call();
    });
    await work();
    vi.restoreAllMocks();
    return calls.filter((call) => !/\.(?:findContacts|reportDeliveries|recordSummary)$/.test(call));
  }

  it("a tap costs one call to the household, with a source as without", async () => {
    const { askLook, server, id } = await createSourceHousehold();
    const { message } = await askLook("look into the box");

    const calls = await countCalls(() => server.act.tap(message, "claimed"), id);

    expect(calls).toEqual(["household.receiveInbound"]);
  });

  it("a message for the source costs one more call to the household, which counts its bytes", async () => {
    const { server, id } = await createSourceHousehold();
    const isReceiving = (call: string) => /receiveInbound|reserveFiles|resolve/.test(call);

    const text = await countCalls(() => server.act.write({ chat: STRANGER, text: "hello" }), id);
    const file = { kind: "photo" as const, bytes: PNG };
    const photo = await countCalls(() => server.act.write({ chat: STRANGER, file }), id);

    const expected = ["household.receiveInbound", "household.reserveFiles"];
    expect([text.filter(isReceiving), photo.filter(isReceiving)]).toEqual([expected, expected]);
  });
});

describe("sending from a Telegram source", () => {
  const answerTo = (chat: number, message: number) => ({
    to: [String(chat)],
    answers: {
      external_id: `${chat}:${message}`,
      references: [],
      channel: String(chat),
      headers: [],
    },
  });

  it("an answer arrives in the chat as a reply to the original", async () => {
    const home = await createSourceHousehold();
    await home.server.act.start(STRANGER);
    const { message } = await home.server.act.write({ chat: STRANGER, text: "hello" });

    const sent = await sendFromSource(home, answerTo(STRANGER, message!));

    const [, shown] = home.server.inChat(STRANGER);
    expect(shown).toMatchObject({ text: "Thank you", replyTo: message, keyboard: [] });
    expect(sent).toEqual({ ok: true, external_id: `${STRANGER}:${shown!.id}` });
  });

  it.each([
    { fault: { status: 429, wait: 30 }, expected: { retryAfterSeconds: 30 } },
    { fault: { status: 502 }, expected: { mayBeSent: true } },
    { fault: { status: 503 }, expected: {} },
  ])("status $fault.status is reported to the outbox", async ({ fault, expected }) => {
    const home = await createSourceHousehold();
    await home.server.act.start(STRANGER);
    home.server.fail(fault);

    const {
      ok,
      reason: _,
      ...rest
    } = (await sendFromSource(home, answerTo(STRANGER, 1))) as {
      ok: boolean;
      reason: string;
    };

    expect({ ok, ...rest }).toEqual({ ok: false, ...expected });
  });

  it("a blocked bot is a permanent failure, and a broken connection may have sent the message", async () => {
    const home = await createSourceHousehold();
    home.server.act.block(STRANGER);

    const blocked = await sendFromSource(home, answerTo(STRANGER, 1));
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("the connection broke")));
    const broken = await sendFromSource(home, answerTo(STRANGER, 1));

    expect(blocked).toMatchObject({ ok: false, isPermanent: true });
    expect(broken).toMatchObject({ ok: false, mayBeSent: true });
    expect(JSON.stringify([blocked, broken])).not.toContain(home.server.token);
  });

  it.each([
    { more: { to: ["1", "2"] }, reason: "exactly one recipient" },
    { more: { body: "x".repeat(4_097) }, reason: "4096 characters" },
    {
      more: { attachments: [{ name: "a.png", mime: "image/png", bytes: PNG }] },
      reason: "without files",
    },
  ])("a message that Telegram cannot show fails for good: $reason", async ({ more, reason }) => {
    const home = await createSourceHousehold();

    const sent = await sendFromSource(home, { ...answerTo(STRANGER, 1), ...more });

    expect(sent).toMatchObject({
      ok: false,
      isPermanent: true,
      reason: expect.stringContaining(reason),
    });
    expect(home.server.messages).toEqual([]);
  });
});
