import { describe, expect, it } from "vitest";
import { discord as channel } from "../../../src/channels/discord/send.ts";
import { discord } from "../../support/discord.ts";
import { noticeOf, senderTo } from "./channel-support.ts";

const room = () => {
  const server = discord();
  return { server, sender: senderTo(server.handle, {}), address: server.address() };
};

describe("a message in Discord", () => {
  it("says what is asked with its context and its link, and opens no preview of it", async () => {
    const { server, sender, address } = room();

    const sent = await channel.send(
      sender,
      address,
      noticeOf({ context: ["we shop at six"], expires: "2031-04-05T17:00:00+02:00" }),
    );

    const [message] = server.messages;
    expect(sent).toEqual({ ok: true, handle: message?.id });
    expect(message?.previewed).toBe(false);
    expect(message?.content.split("\n")).toEqual([
      "**check what is in the fridge**",
      "we shop at six",
      "Needed by 2031-04-05 17:00",
      "https://mess.test/r/smith_2031-04-05-006_1abcdefghjkmnpqrs",
    ]);
  });

  it("is edited as the thread changes", async () => {
    const { server, sender, address } = room();
    await channel.send(sender, address, noticeOf());
    const [message] = server.messages;

    const edited = await channel.update?.(
      sender,
      address,
      message?.id ?? "",
      noticeOf({ kind: "update", status: "claimed", holder: "Ann", news: "claimed by Ann" }),
    );

    expect(edited).toEqual({ ok: true, handle: message?.id });
    expect(server.messages).toHaveLength(1);
    expect(message?.content).toContain("Claimed by Ann");
  });

  it("pings nobody and formats nothing, whatever an agent wrote", async () => {
    const { server, sender, address } = room();
    const intent = "@everyone <@123> <@&9> **bold** [bank](https://evil.test) `x`";

    await channel.send(sender, address, noticeOf({ intent, context: ["# big", "- item"] }));

    const [message] = server.messages;
    expect(message?.pinged).toEqual([]);
    expect(message?.content.split("\n").slice(0, 3)).toEqual([
      "**@everyone \\<@123\\> \\<@&9\\> \\*\\*bold\\*\\* \\[bank\\](https://evil.test) \\`x\\`**",
      "\\# big",
      "\\- item",
    ]);
  });

  it("holds what fits, and always the link", async () => {
    const { server, sender, address } = room();
    const context = Array.from({ length: 5 }, () => "~".repeat(499));

    await channel.send(sender, address, noticeOf({ intent: "_".repeat(4_000), context }));

    expect(server.messages[0]?.content).toMatch(/\nhttps:\/\/mess\.test\/r\/\S+$/);
  });

  it("keeps the channel's thread in the address", async () => {
    const { server, sender, address } = room();
    const seen: string[] = [];
    const looking = {
      ...sender,
      egress: {
        ...sender.egress,
        send: (url: string, init?: RequestInit) => {
          seen.push(url);
          return sender.egress.send(url, init);
        },
      },
    };
    await channel.send(looking, `${address}?thread_id=77`, noticeOf());
    await channel.update?.(
      looking,
      `${address}?thread_id=77`,
      server.messages[0]?.id ?? "",
      noticeOf(),
    );

    expect(seen).toEqual([
      `${address}?thread_id=77&wait=true`,
      `${address}/messages/${server.messages[0]?.id}?thread_id=77`,
    ]);
  });
});

describe("what Discord refuses", () => {
  it("ends a webhook that was deleted, or whose token is wrong", async () => {
    const { server, sender, address } = room();
    const wrong = await channel.send(sender, `${address}x`, noticeOf());
    server.act.revoke();
    const revoked = await channel.send(sender, address, noticeOf());

    expect([wrong, revoked]).toEqual([
      { ok: false, reason: "Discord answered 401", gone: true },
      { ok: false, reason: "Discord answered 404", gone: true },
    ]);
  });

  it("does not end it for a message that somebody deleted", async () => {
    const { server, sender, address } = room();
    await channel.send(sender, address, noticeOf());
    const [message] = server.messages;
    if (message) server.act.remove(message);

    const edited = await channel.update?.(sender, address, message?.id ?? "", noticeOf());

    expect(edited).toEqual({ ok: true });
  });

  it("waits as long as it is told to, in whole seconds", async () => {
    const { server, sender, address } = room();
    server.fail({ status: 429, wait: 1.3 }, { status: 500 }, "broken");

    const sent = [];
    for (let count = 0; count < 4; count++)
      sent.push(await channel.send(sender, address, noticeOf()));

    expect(sent).toMatchObject([
      { ok: false, reason: "Discord answered 429", retry_after: 2 },
      { ok: false, reason: "Discord answered 500" },
      { ok: false, reason: "the connection failed" },
      { ok: true },
    ]);
    expect(server.messages).toHaveLength(1);
  });
});
