import { describe, expect, it } from "vitest";
import { googleChat as channel } from "../../../src/channels/google-chat/send.ts";
import { naming } from "../../support/naming.ts";
import { createGoogleChat } from "../../support/google-chat.ts";
import { INTENT, noticeOf, senderTo, SHORT_LINK } from "./channel-support.ts";

const space = () => {
  const server = createGoogleChat();
  return { server, sender: senderTo(server.handle, {}), address: server.address() };
};

describe("a message in Google Chat", () => {
  it("an offer in Google Chat has the request, its context and its link", async () => {
    const { server, sender, address } = space();

    const sent = await channel.send(sender, address, noticeOf({ context: ["we shop at six"] }));

    expect(sent).toEqual({ ok: true, handle: server.messages[0]?.name });
    expect(server.messages[0]?.text.split("\n")).toEqual([
      naming(INTENT),
      "we shop at six",
      SHORT_LINK,
    ]);
  });

  it("messages in Google Chat share a thread per request, and news names the request", async () => {
    const { server, sender, address } = space();

    await channel.send(sender, address, noticeOf());
    await channel.send(sender, address, noticeOf({ ref: "2031-04-05-007" }));
    await channel.send(
      sender,
      address,
      noticeOf({ kind: "news", eventText: "the answer: kitchen" }),
    );

    const [first, other, news] = server.messages.map(({ thread }) => thread);
    expect(news).toBe(first);
    expect(other).not.toBe(first);
    expect(server.messages[2]?.text.split("\n").slice(0, 2)).toEqual([
      naming("kitchen"),
      naming(INTENT),
    ]);
  });

  it("what an agent wrote mentions nobody and hides no address in Google Chat", async () => {
    const { server, sender, address } = space();

    await channel.send(
      sender,
      address,
      noticeOf({ intent: "<users/all> look", context: ["<https://evil.test|our bank>"] }),
    );

    expect(server.messages[0]?.markup).toEqual([]);
  });

  it("a Google Chat message holds what fits, and always the link", async () => {
    const { server, sender, address } = space();
    const context = Array.from({ length: 12 }, () => "x".repeat(499));

    const sent = await channel.send(sender, address, noticeOf({ context }));

    expect(sent.ok).toBe(true);
    expect(server.messages[0]?.text).toMatch(/\nhttps:\/\/mess\.test\/r\/\S+$/);
  });
});

describe("what Google Chat refuses", () => {
  it("a deleted Google Chat webhook and a wrong key or token end the channel", async () => {
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
      { ok: false, reason: naming(401), isPermanent: true },
      { ok: false, reason: naming(403), isPermanent: true },
      { ok: false, reason: naming(404), isPermanent: true },
    ]);
  });

  it("a limit of Google Chat without a wait is waited out for two seconds", async () => {
    const { server, sender, address } = space();
    server.fail({ status: 429 });

    const sent = await channel.send(sender, address, noticeOf());

    expect(sent).toEqual({ ok: false, reason: naming(429), retryAfterSeconds: 2 });
  });
});
