import { describe, expect, it } from "vitest";
import { googleChat as channel } from "../../../src/channels/google-chat/send.ts";
import { expectNaming } from "../../support/naming.ts";
import { createGoogleChat } from "../../support/channels/google-chat.ts";
import { INTENT, buildNotice, createSenderTo } from "./channel-support.ts";

const createSpace = () => {
  const server = createGoogleChat();
  return { server, sender: createSenderTo(server.handle, {}), address: server.address() };
};

describe("a message in Google Chat", () => {
  it("all messages in Google Chat about a request are in one thread, and news names the request", async () => {
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

  it("text of an agent cannot mention members or disguise a link in Google Chat", async () => {
    const { server, sender, address } = createSpace();

    await channel.send(
      sender,
      address,
      buildNotice({ intent: "<users/all> look", context: ["<https://evil.test|our bank>"] }),
    );

    expect(server.messages[0]?.markup).toEqual([]);
  });
});

describe("refusals of Google Chat", () => {
  it("a wrong key of Google Chat fails permanently", async () => {
    const { sender, address } = createSpace();
    const sent = await channel.send(
      sender,
      address.replace(/key=[^&]*/, "key=other"),
      buildNotice(),
    );

    expect(sent).toEqual({ ok: false, reason: expectNaming(403), isPermanent: true });
  });

  it("a rate limit of Google Chat without a stated wait is retried after two seconds", async () => {
    const { server, sender, address } = createSpace();
    server.fail({ status: 429 });

    const sent = await channel.send(sender, address, buildNotice());

    expect(sent).toEqual({ ok: false, reason: expectNaming(429), retryAfterSeconds: 2 });
  });
});
