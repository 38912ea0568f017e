/** What people do in Telegram, and what becomes of it. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { PNG } from "../../support/png.ts";
import type { TelegramFileIn } from "../../support/telegram-bot.ts";
import { eventually, expectOk } from "../support.ts";
import { ANN, BEN, telegramHome } from "./telegram-home.ts";

const photo: TelegramFileIn = { kind: "photo", bytes: PNG };

afterEach(() => vi.unstubAllGlobals());

describe("a conversation in Telegram", () => {
  it("goes from the button over a photo to the end: what is in the fridge", async () => {
    const { agent, server, askLook, threadOf, write, labels } = await telegramHome();
    const { ref, message } = await askLook("check what is in the fridge");
    expect(labels(message)).toEqual(["Respond", "Claim", "Done", "Decline"]);

    await server.act.tap(message, "Claim");
    expect(server.answers).toMatchObject([{ text: "It is yours. Thank you!", alert: false }]);
    await eventually(async () => expect(message.text).toContain("Claimed by Ann"));
    expect(labels(message)).toEqual(["Respond", "Done", "Hand back"]);
    const sent = await write({ file: photo, text: "two eggs, no milk" });
    await server.act.tap(message, "Done");

    expect(server.reactions.get(sent.message!)).toBe("👍");
    const { envelope, messages, attachments } = await threadOf(ref);
    expect(envelope).toMatchObject({ status: "completed", executor: "ann" });
    expect(JSON.stringify(messages)).toContain("two eggs, no milk");
    const served = await agent.fetch(attachments[0].url);
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(PNG);
    await eventually(async () => expect(labels(message)).not.toContain("Done"));
    expect(server.unheard).toEqual([]);
  });

  it("takes voice, video, documents and places as the answer", async () => {
    const { askLook, threadOf, write } = await telegramHome();
    const { ref, message } = await askLook("look for the keys");
    const bytesOf = (text: string) => new TextEncoder().encode(text.padEnd(64, "\0"));
    const [ogg, mp4, plain] = ["OggS", "\0\0\0\u0018ftypmp42", "some words"].map(bytesOf);

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

    const { messages, attachments } = await threadOf(ref);
    const content = messages
      .filter(({ channel }: { channel?: string }) => channel === "telegram")
      .flatMap(({ MESS }: { MESS: { response: { content: object[] } }[] }) =>
        MESS.flatMap(({ response }) => response.content),
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

  it("takes the photos of an album into the one thread that the first of them answers", async () => {
    const { askLook, saidIn, threadOf, write } = await telegramHome();
    const older = await askLook("look for the keys");
    const newer = await askLook("look at the meter");

    await write({ album: "7", file: photo, text: "all three", to: older.message });
    await write({ album: "7", file: photo });
    await write({ album: "7", file: photo });

    expect(await saidIn(older.ref)).toEqual(["response", "response", "response"]);
    expect((await threadOf(older.ref)).attachments).toHaveLength(3);
    expect(await saidIn(newer.ref)).toEqual([]);
  });

  it("says which task it took words for that named none, where there are several", async () => {
    const { owner, server, askLook, statusOf, write } = await telegramHome();
    const older = await askLook("look for the keys");
    await server.act.tap(older.message, "Claim");
    await eventually(async () => {
      const { events } = await owner.read("/api/v1/events");
      expect(events).toContainEqual(expect.objectContaining({ ref: older.ref, status: "claimed" }));
    });
    const newer = await askLook("look at the meter");

    const sent = await write({ text: "done" });

    expect(await statusOf(older.ref)).toBe("completed");
    expect(await statusOf(newer.ref)).toBe("pending");
    expect(server.messages.at(-1)).toMatchObject({
      text: "Done: look for the keys. Thank you!",
      replyTo: sent.message,
    });
  });

  it("asks back, and hears the answer as a reply", async () => {
    const { agent, server, askLook, statusOf, write } = await telegramHome();
    const { ref, message } = await askLook("vacuum the rice");

    await write({ text: "Which area?", to: message });
    expect(await statusOf(ref)).toBe("needs_input");
    await agent.tell(ref, { reply: { answers: { q1: "kitchen" } } });

    const news = await eventually(async () => {
      const found = server.messages.find(({ replyTo }) => replyTo === message.id);
      expect(found).toBeDefined();
      return found!;
    });
    expect(news.text).toContain("kitchen");
    await eventually(async () => expect(message.text).not.toContain("Needs input"));
    expect(news.versions).toHaveLength(1);
  });

  it("answers the news as well as the request", async () => {
    const { agent, server, askLook, saidIn, write } = await telegramHome();
    const older = await askLook("look for the keys");
    await server.act.tap(older.message, "Claim");
    await agent.tell(older.ref, { followup: { message: "they may be in the hall" } });
    const news = await eventually(async () => {
      const found = server.messages.find(({ text }) => text.includes("in the hall"));
      expect(found).toBeDefined();
      return found!;
    });
    const newer = await askLook("look at the meter");

    await eventually(async () => {
      await write({ text: "found them", to: news });
      expect(await saidIn(older.ref)).toContain("response");
    });

    expect(await saidIn(newer.ref)).toEqual([]);
  });

  it("tells who comes second who was first", async () => {
    const { server, both, askLook, statusOf, labels } = await telegramHome();
    await both();
    const { ref, message } = await askLook("look for the keys");
    const bens = await eventually(async () => {
      expect(server.inChat(BEN)).toHaveLength(1);
      return server.inChat(BEN)[0]!;
    });
    const stale = { ...bens, keyboard: bens.keyboard };

    await server.act.tap(message, "Claim");
    await eventually(async () => expect(bens.text).toContain("Claimed by Ann"));
    expect(labels(bens)).toEqual([]);
    await server.act.tap(stale, "Claim");

    expect(server.answers.at(-1)).toMatchObject({ text: "Ann has it already.", alert: true });
    expect(await statusOf(ref)).toBe("claimed");
  });

  it("tells who comes after the end that nothing is needed any more", async () => {
    const { agent, server, askLook, statusOf, saidIn } = await telegramHome();
    const { ref, message } = await askLook("look for the keys");
    const stale = { ...message, keyboard: message.keyboard };
    await agent.tell(ref, { cancel: {} });

    await server.act.tap(stale, "Claim");

    expect(server.answers.at(-1)).toMatchObject({
      text: "It was called off: nothing more is needed.",
      alert: true,
    });
    expect(await statusOf(ref)).toBe("cancelled");
    expect(await saidIn(ref)).toEqual([]);
  });

  it("understands words and commands in the context of the last request", async () => {
    const { askLook, write, statusOf } = await telegramHome();
    const { ref } = await askLook("look for the keys");

    await write({ text: "Mach ich!" });
    expect(await statusOf(ref)).toBe("claimed");
    await write({ text: "/done@household_bot" });

    expect(await statusOf(ref)).toBe("completed");
  });

  it("means the request that came last, not one whose message was edited since", async () => {
    const { ben, askLook, write, statusOf, both } = await telegramHome();
    await both();
    const older = await askLook("look for the keys");
    const newer = await askLook("look at the meter");
    await ben.claim(older.ref);
    await eventually(async () => expect(older.message.text).toContain("Claimed by Ben"));

    await write({ text: "on it" });

    expect(await statusOf(newer.ref)).toBe("claimed");
  });

  it("hears in a group who is known there and was asked too, in their own name", async () => {
    const { owner, server, agent, threadOf } = await telegramHome();
    const group = -100_300;
    await server.act.start(group);
    const shop = { capabilities: ["shop"] };
    await expectOk(
      await owner.say(
        { config: { executor: { id: "family", ...shop, notify: { telegram: group } } } },
        { config: { executor: { id: "ben", ...shop, notify: { telegram: BEN } } } },
      ),
    );
    const [milk, bread] = [
      await agent.ask("buy milk", { requires: ["shop"] }),
      await agent.ask("buy bread", { requires: ["shop"] }),
    ];
    const inGroup = (intent: string) =>
      eventually(async () => {
        const found = server.inChat(group).find(({ text }) => text.includes(intent));
        expect(found).toBeDefined();
        return found!;
      });
    await eventually(async () => expect(server.inChat(BEN)).toHaveLength(2));

    await server.act.tap(await inGroup("milk"), "Claim", { from: BEN });
    await server.act.tap(await inGroup("bread"), "Claim", { from: 7_777 });

    expect((await threadOf(milk)).envelope.executor).toBe("ben");
    expect((await threadOf(bread)).envelope.executor).toBe("family");
  });

  it("hears in a group only what is said to its messages", async () => {
    const { owner, server, agent, write, statusOf } = await telegramHome();
    const group = -100_200;
    await server.act.start(group);
    await expectOk(
      await owner.say({
        config: { executor: { id: "family", capabilities: ["shop"], notify: { telegram: group } } },
      }),
    );
    const ref = await agent.ask("buy milk", { requires: ["shop"] });
    const message = await eventually(async () => {
      expect(server.inChat(group)).toHaveLength(1);
      return server.inChat(group)[0]!;
    });

    await write({ chat: group, from: BEN, text: "done" });
    expect(await statusOf(ref)).toBe("pending");
    await write({ chat: group, from: BEN, text: "ok", to: message });

    expect(await statusOf(ref)).toBe("claimed");
  });
});

describe("who starts the bot", () => {
  it("and is a stranger, learns what the owner needs, and nothing else", async () => {
    const { owner, server, askLook, saidIn } = await telegramHome();
    const { ref } = await askLook("look for the keys");

    await server.act.start(6_666);
    await server.act.write({ chat: 6_666, text: "done" });

    const [greeting, refusal] = server.inChat(6_666);
    expect(greeting?.text).toMatch(/not known here.*6666/);
    expect(refusal?.text).toMatch(/not known here/);
    expect(await saidIn(ref)).toEqual([]);
    expect(JSON.stringify(await owner.read("/api/v1/events"))).not.toContain("6666");
  });

  it("and is a member, is welcome", async () => {
    const { server } = await telegramHome();

    await server.act.start(ANN);

    expect(server.inChat(ANN)[0]?.text).toMatch(/^You are known here/);
  });
});

it("reaches nobody who blocked the bot, tells the owner, and the request stays", async () => {
  const { owner, server, agent, statusOf } = await telegramHome();
  server.act.block(ANN);

  const ref = await agent.ask("look for the keys", { requires: ["look"] });

  await eventually(async () => {
    const { events } = await owner.read("/api/v1/events");
    expect(events).toContainEqual(expect.objectContaining({ action: "channel_gone", by: "ann" }));
  });
  expect(await statusOf(ref)).toBe("pending");
});
