/** Tests conversations that are specific to Telegram; `chats.test.ts` tests what all chats have in common. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { expectNaming } from "../../../support/naming.ts";
import { PNG } from "../../../support/media/png.ts";
import type { TelegramFileIn } from "../../../support/channels/telegram-bot.ts";
import { waitUntil, expectOkJson } from "../../support.ts";
import { sendReceipt, readRefusal } from "../../../support/answers.ts";
import { ANN, BEN, createTelegramHousehold } from "./telegram-household.ts";

const photo: TelegramFileIn = { kind: "photo", bytes: PNG };

afterEach(() => vi.unstubAllGlobals());

describe("conversations in Telegram", () => {
  it("a tap in Telegram is answered by a short notice", async () => {
    const { server, askLook } = await createTelegramHousehold();
    const { message } = await askLook("check what is in the fridge");

    await server.act.tap(message, "claimed");

    expect(server.answers).toMatchObject([{ text: sendReceipt("claimed"), alert: false }]);
    expect(server.unheard).toEqual([]);
  });

  it("voice messages, videos, documents and places in Telegram become entries of the answer", async () => {
    const { askLook, readThread, write } = await createTelegramHousehold();
    const { ref, message } = await askLook("look for the keys");
    const readBytes = (text: string) => new TextEncoder().encode(text.padEnd(64, "\0"));
    const [ogg, mp4, plain] = ["OggS", "\0\0\0\u0018ftypmp42", "some words"].map(readBytes);

    await write({ to: message, file: { kind: "voice", bytes: ogg!, type: "audio/ogg" } });
    await write({
      to: message,
      file: { kind: "video", bytes: mp4!, type: "video/mp4", name: "a.mp4" },
    });
    await write({
      to: message,
      file: { kind: "document", bytes: plain!, type: "text/plain", name: "n.txt" },
    });
    await write({ to: message, location: { latitude: 41.9, longitude: 12.5 }, venue: "Bar" });

    const { messages, attachments } = await readThread(ref);
    const content = messages
      .filter(({ channel }: { channel?: string }) => channel === "telegram")
      .flatMap(({ MESS }: { MESS: { response?: { content: object[] } }[] }) =>
        MESS.flatMap(({ response }) => response?.content ?? []),
      );
    expect(content.map((entry: object) => Object.keys(entry)[0])).toEqual([
      "audio",
      "video",
      "file",
      "location",
    ]);
    expect(content[3]).toEqual({ location: { lat: 41.9, lng: 12.5, name: "Bar" } });
    expect(attachments.map(({ original }: { original?: string }) => original)).toEqual([
      "voice.ogg",
      "a.mp4",
      "n.txt",
    ]);
  });

  it("all photos of a Telegram album are appended to the thread that its first photo replies to", async () => {
    const { askLook, listMessagesIn, readThread, write } = await createTelegramHousehold();
    const older = await askLook("look for the keys");
    const newer = await askLook("look at the meter");

    await write({ album: "7", file: photo, text: "all three", to: older.message });
    await write({ album: "7", file: photo });
    await write({ album: "7", file: photo });

    expect(await listMessagesIn(older.ref)).toEqual(["response", "response", "response"]);
    expect((await readThread(older.ref)).attachments).toHaveLength(3);
    expect(await listMessagesIn(newer.ref)).toEqual([]);
  });

  it("a reply to news in Telegram is appended to the thread of the news", async () => {
    const { agent, server, askLook, listMessagesIn, write } = await createTelegramHousehold();
    const older = await askLook("look for the keys");
    await server.act.tap(older.message, "claimed");
    await agent.appendBlocks(older.ref, { followup: { message: "they may be in the hall" } });
    const news = await waitUntil(async () => {
      const found = server.messages.find(({ text }) => text.includes("in the hall"));
      expect(found).toBeDefined();
      return found!;
    });
    const newer = await askLook("look at the meter");

    await waitUntil(async () => {
      await write({ text: "found them", to: news });
      expect(await listMessagesIn(older.ref)).toContain("response");
    });

    expect(await listMessagesIn(newer.ref)).toEqual([]);
  });

  it("reply keywords and bot commands in Telegram are applied to the last request", async () => {
    const { askLook, write, readStatus } = await createTelegramHousehold();
    const { ref } = await askLook("look for the keys");

    await write({ text: "Mach ich!" });
    expect(await readStatus(ref)).toBe("claimed");
    await write({ text: "/done@household_bot" });

    expect(await readStatus(ref)).toBe("completed");
  });

  it("a text in Telegram is applied to the latest request, not to one whose message was edited later", async () => {
    const { ben, askLook, write, readStatus, configureBoth } = await createTelegramHousehold();
    await configureBoth();
    const older = await askLook("look for the keys");
    const newer = await askLook("look at the meter");
    await ben.claim(older.ref);
    await waitUntil(async () => expect(older.message.text).toContain("Ben"));

    await write({ text: "on it" });

    expect(await readStatus(newer.ref)).toBe("claimed");
  });

  it("in a Telegram group a candidate acts as themselves, and any other person as the group", async () => {
    const { owner, server, agent, readThread } = await createTelegramHousehold();
    const group = -100_300;
    await server.act.start(group);
    const shop = { capabilities: ["shop"] };
    await expectOkJson(
      await owner.postBlocks(
        { config: { executor: { id: "family", ...shop, notify: { telegram: group } } } },
        { config: { executor: { id: "ben", ...shop, notify: { telegram: BEN } } } },
      ),
    );
    const [milk, bread] = [
      await agent.createThread("buy milk", { requires: ["shop"] }),
      await agent.createThread("buy bread", { requires: ["shop"] }),
    ];
    const inGroup = (intent: string) =>
      waitUntil(async () => {
        const found = server.inChat(group).find(({ text }) => text.includes(intent));
        expect(found).toBeDefined();
        return found!;
      });
    await waitUntil(async () => expect(server.inChat(BEN)).toHaveLength(2));

    await server.act.tap(await inGroup("milk"), "claimed", { from: BEN });
    await server.act.tap(await inGroup("bread"), "claimed", { from: 7_777 });

    expect((await readThread(milk)).envelope.executor).toBe("ben");
    expect((await readThread(bread)).envelope.executor).toBe("family");
  });
});

describe("people who start the bot", () => {
  it("an unknown person who starts the Telegram bot gets the chat id that an owner needs, and nothing else", async () => {
    const { owner, server, askLook, listMessagesIn } = await createTelegramHousehold();
    const { ref } = await askLook("look for the keys");

    await server.act.start(6_666);
    await server.act.write({ chat: 6_666, text: "done" });

    const [greeting, refused] = server.inChat(6_666);
    expect(greeting?.text).toEqual(expectNaming(6_666));
    expect(refused?.text).toBe(readRefusal("unknown_executor"));
    expect(await listMessagesIn(ref)).toEqual([]);
    expect(JSON.stringify(await owner.read("/api/v1/events"))).not.toContain("6666");
  });

  it("a member who starts the Telegram bot is greeted as a member", async () => {
    const { server } = await createTelegramHousehold();

    await server.act.start(ANN);

    const [greeting] = server.inChat(ANN);
    expect(greeting).toBeDefined();
    expect(greeting?.text).not.toContain(readRefusal("unknown_executor"));
    expect(greeting?.text).not.toEqual(expectNaming(ANN));
  });
});
