import { describe, expect, it } from "vitest";
import { googleChat as channel } from "../../../src/channels/google-chat/send.ts";
import { googleChat } from "../../support/google-chat.ts";
import { noticeOf, senderTo } from "./channel-support.ts";

const space = () => {
  const server = googleChat();
  return { server, sender: senderTo(server.handle, {}), address: server.address() };
};

describe("a message in Google Chat", () => {
  it("says what is asked with its link", async () => {
    const { server, sender, address } = space();

    const sent = await channel.send(sender, address, noticeOf({ context: ["we shop at six"] }));

    expect(sent).toEqual({ ok: true, handle: server.messages[0]?.name });
    expect(server.messages[0]?.text.split("\n")).toEqual([
      "check what is in the fridge",
      "we shop at six",
      "https://mess.test/r/smith_2031-04-05-006_1abcdefghjkmnpqrs",
    ]);
  });

  it("keeps what belongs to one thread together, and apart from others", async () => {
    const { server, sender, address } = space();

    await channel.send(sender, address, noticeOf());
    await channel.send(sender, address, noticeOf({ ref: "2031-04-05-007" }));
    await channel.send(sender, address, noticeOf({ kind: "news", news: "the answer: kitchen" }));

    const [first, other, news] = server.messages.map(({ thread }) => thread);
    expect(news).toBe(first);
    expect(other).not.toBe(first);
    expect(server.messages[2]?.text.split("\n").slice(0, 2)).toEqual([
      "The answer: kitchen",
      "About: check what is in the fridge",
    ]);
  });

  it("mentions nobody and hides no address, whatever an agent wrote", async () => {
    const { server, sender, address } = space();

    await channel.send(
      sender,
      address,
      noticeOf({ intent: "<users/all> look", context: ["<https://evil.test|our bank>"] }),
    );

    expect(server.messages[0]?.markup).toEqual([]);
  });

  it("holds what fits, and always the link", async () => {
    const { server, sender, address } = space();
    const context = Array.from({ length: 12 }, () => "x".repeat(499));

    const sent = await channel.send(sender, address, noticeOf({ context }));

    expect(sent.ok).toBe(true);
    expect(server.messages[0]?.text).toMatch(/\nhttps:\/\/mess\.test\/r\/\S+$/);
  });
});

describe("what Google Chat refuses", () => {
  it("ends a webhook that was deleted, or whose key or token is wrong", async () => {
    const { server, sender, address } = space();
    const token = await channel.send(
      sender,
      address.replace(/token=.*/, "token=other"),
      noticeOf(),
    );
    const key = await channel.send(sender, address.replace(/key=[^&]*/, "key=other"), noticeOf());
    server.act.revoke();
    const revoked = await channel.send(sender, address, noticeOf());

    expect([token, key, revoked]).toEqual([
      { ok: false, reason: "Google Chat answered 401", gone: true },
      { ok: false, reason: "Google Chat answered 403", gone: true },
      { ok: false, reason: "Google Chat answered 404", gone: true },
    ]);
  });

  it("is tried again where it passes", async () => {
    const { server, sender, address } = space();
    server.fail({ status: 429 }, { status: 429, wait: 30 }, { status: 503 }, "broken");

    const sent = [];
    for (let count = 0; count < 5; count++)
      sent.push(await channel.send(sender, address, noticeOf()));

    expect(sent).toEqual([
      { ok: false, reason: "Google Chat answered 429", retry_after: 2 },
      { ok: false, reason: "Google Chat answered 429", retry_after: 30 },
      { ok: false, reason: "Google Chat answered 503" },
      { ok: false, reason: "the connection failed" },
      { ok: true, handle: server.messages[0]?.name },
    ]);
  });
});
