import { describe, expect, it } from "vitest";
import { googleChat as channel } from "../../../src/channels/google-chat/send.ts";
import { expectNaming } from "../../support/naming.ts";
import { createGoogleChat } from "../../support/google-chat.ts";
import { INTENT, buildNotice, createSenderTo, SHORT_LINK } from "./channel-support.ts";

const createSpace = () => {
  const server = createGoogleChat();
  return { server, sender: createSenderTo(server.handle, {}), address: server.address() };
};

describe("a message in Google Chat", () => {
  it("an offer in Google Chat has the request, its context and its link", async () => {
    const { server, sender, address } = createSpace();

    const sent = await channel.send(sender, address, buildNotice({ context: ["we shop at six"] }));

    expect(sent).toEqual({ ok: true, handle: server.messages[0]?.name });
    expect(server.messages[0]?.text.split("\n")).toEqual([
      expectNaming(INTENT),
      "we shop at six",
      SHORT_LINK,
    ]);
  });

  it("messages in Google Chat share a thread per request, and news names the request", async () => {
    const { server, sender, address } = createSpace();

    await channel.send(sender, address, buildNotice());
    await channel.send(sender, address, buildNotice({ ref: "2031-04-05-007" }));
    await channel.send(
      sender,
      address,
      buildNotice({ kind: "news", eventText: "the answer: kitchen" }),
    );

    const [first, other, news] = server.messages.map(({ thread }) => thread);
    expect(news).toBe(first);
    expect(other).not.toBe(first);
    expect(server.messages[2]?.text.split("\n").slice(0, 2)).toEqual([
      expectNaming("kitchen"),
      expectNaming(INTENT),
    ]);
  });

  it("what an agent wrote mentions nobody and hides no address in Google Chat", async () => {
    const { server, sender, address } = createSpace();

    await channel.send(
      sender,
      address,
      buildNotice({ intent: "<users/all> look", context: ["<https://evil.test|our bank>"] }),
    );

    expect(server.messages[0]?.markup).toEqual([]);
  });

  it("a Google Chat message holds what fits, and always the link", async () => {
    const { server, sender, address } = createSpace();
    const context = Array.from({ length: 12 }, () => "x".repeat(499));

    const sent = await channel.send(sender, address, buildNotice({ context }));

    expect(sent.ok).toBe(true);
    expect(server.messages[0]?.text).toMatch(/\nhttps:\/\/mess\.test\/r\/\S+$/);
  });
});

describe("what Google Chat refuses", () => {
  it("a deleted Google Chat webhook and a wrong key or token end the channel", async () => {
    const { server, sender, address } = createSpace();
    const token = await channel.send(
      sender,
      address.replace(/token=.*/, "token=other"),
      buildNotice(),
    );
    const key = await channel.send(
      sender,
      address.replace(/key=[^&]*/, "key=other"),
      buildNotice(),
    );
    server.act.revoke();
    const revoked = await channel.send(sender, address, buildNotice());

    expect([token, key, revoked]).toEqual([
      { ok: false, reason: expectNaming(401), isPermanent: true },
      { ok: false, reason: expectNaming(403), isPermanent: true },
      { ok: false, reason: expectNaming(404), isPermanent: true },
    ]);
  });

  it("a limit of Google Chat without a wait is waited out for two seconds", async () => {
    const { server, sender, address } = createSpace();
    server.fail({ status: 429 });

    const sent = await channel.send(sender, address, buildNotice());

    expect(sent).toEqual({ ok: false, reason: expectNaming(429), retryAfterSeconds: 2 });
  });
});
