import { describe, expect, it } from "vitest";
import { discord as channel } from "../../../src/channels/discord/send.ts";
import { expectNaming } from "../../support/naming.ts";
import { createDiscord } from "../../support/channels/discord.ts";
import { buildNotice, createSenderTo, SHORT_LINK } from "./channel-support.ts";

const createRoom = () => {
  const server = createDiscord();
  return { server, sender: createSenderTo(server.handle, {}), address: server.address() };
};

describe("a message in Discord", () => {
  it("an offer in Discord shows the request, its context, deadline and link, without a link preview", async () => {
    const { server, sender, address } = createRoom();

    const sent = await channel.send(
      sender,
      address,
      buildNotice({ context: ["we shop at six"], expires: "2031-04-05T17:00:00+02:00" }),
    );

    const [message] = server.messages;
    expect(sent).toEqual({ ok: true, handle: message?.id });
    expect(message?.previewed).toBe(false);
    expect(message?.content.split("\n")).toEqual([
      expect.stringMatching(/^\*\*.*check what is in the fridge\*\*$/),
      "we shop at six",
      expectNaming("2031-04-05 17:00"),
      SHORT_LINK,
    ]);
  });

  it("text of an agent cannot mention members or format the message in Discord", async () => {
    const { server, sender, address } = createRoom();
    const intent = "@everyone <@123> <@&9> **bold** [bank](https://evil.test) `x`";

    await channel.send(sender, address, buildNotice({ intent, context: ["# big", "- item"] }));

    const [message] = server.messages;
    expect(message?.pinged).toEqual([]);
    expect(message?.content.split("\n").slice(0, 3)).toEqual([
      "**@everyone \\<@123\\> \\<@&9\\> \\*\\*bold\\*\\* \\[bank\\](https://evil.test) \\`x\\`**",
      "\\# big",
      "\\- item",
    ]);
  });

  it("sends and edits in Discord keep the thread that the address names", async () => {
    const { server, sender, address } = createRoom();
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
    await channel.send(looking, `${address}?thread_id=77`, buildNotice());
    await channel.update?.(
      looking,
      `${address}?thread_id=77`,
      server.messages[0]?.id ?? "",
      buildNotice(),
    );

    expect(seen).toEqual([
      `${address}?thread_id=77&wait=true`,
      `${address}/messages/${server.messages[0]?.id}?thread_id=77`,
    ]);
  });
});

describe("refusals of Discord", () => {
  it("a wait that Discord asks for in fractions is rounded up to whole seconds", async () => {
    const { server, sender, address } = createRoom();
    server.fail({ status: 429, wait: 1.3 });

    const sent = await channel.send(sender, address, buildNotice());

    expect(sent).toEqual({ ok: false, reason: expectNaming(429), retryAfterSeconds: 2 });
    expect(server.messages).toEqual([]);
  });
});
