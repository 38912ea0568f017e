import { describe, expect, it } from "vitest";
import { ntfy as channel } from "../../../src/channels/ntfy/send.ts";
import { naming } from "../../support/naming.ts";
import { createNtfy } from "../../support/ntfy.ts";
import { INTENT, noticeOf, senderTo } from "./channel-support.ts";

const phone = (settings: { token?: string; api?: string } = {}) => {
  const server = createNtfy(settings.token === undefined ? {} : { token: settings.token });
  return { server, sender: senderTo(server.handle, settings) };
};

describe("a notification by ntfy", () => {
  it("an offer by ntfy has the request in any alphabet, and opens its page", async () => {
    const { server, sender } = phone();

    const sent = await channel.send(
      sender,
      "ann-phone",
      noticeOf({ intent: "vérifie le frigo 🧊", context: ["冷蔵庫"], priority: "urgent" }),
    );

    expect(sent).toEqual({ ok: true, handle: "ntfy1" });
    expect(server.messages).toEqual([
      expect.objectContaining({
        topic: "ann-phone",
        title: expect.stringMatching(/vérifie le frigo 🧊$/),
        message: "冷蔵庫",
        priority: 5,
        click: "https://mess.test/respond?ref=2031-04-05-006&token=x",
        actions: [expect.objectContaining({ action: "view", url: noticeOf().link?.url })],
      }),
    ]);
  });

  it("an offer by ntfy is replaced without a sound when the thread changes, and news is not", async () => {
    const { server, sender } = phone();
    await channel.send(sender, "ann-phone", noticeOf());
    await channel.send(
      sender,
      "ann-phone",
      noticeOf({ kind: "news", eventText: "the answer: blue" }),
    );

    const change = noticeOf({ kind: "update", eventText: "claimed by Ben", status: "claimed" });
    await channel.update?.(sender, "ann-phone", "ntfy1", { ...change, editsKind: "offer" });
    await channel.update?.(sender, "ann-phone", "ntfy2", { ...change, editsKind: "news" });

    expect(
      server.shown("ann-phone").map(({ title, message, priority }) => [title, message, priority]),
    ).toEqual([
      [naming("blue"), naming(INTENT), 3],
      [naming(INTENT), naming("Ben"), 1],
    ]);
  });

  it("ntfy goes to the household's own server, or to the address of a topic", async () => {
    const asked: string[] = [];
    const { server } = phone();
    const sender = senderTo(
      (request) => {
        asked.push(request.url);
        return server.handle(request);
      },
      { api: "https://ntfy.example.org" },
    );

    await channel.send(sender, "ann-phone", noticeOf());
    await channel.send(sender, "https://push.example.net/ben-phone", noticeOf());

    expect(asked).toEqual(["https://ntfy.example.org/", "https://push.example.net/"]);
    expect(server.messages.map(({ topic }) => topic)).toEqual(["ann-phone", "ben-phone"]);
  });

  it("an ntfy message stays within its limit of bytes", async () => {
    const { server, sender } = phone();
    const context = Array.from({ length: 20 }, () => "ü".repeat(400));

    await channel.send(sender, "ann-phone", noticeOf({ context }));

    expect(new TextEncoder().encode(server.messages[0]!.message).byteLength).toBeLessThanOrEqual(
      4_096,
    );
  });
});
