import { describe, expect, it } from "vitest";
import { ntfy as channel } from "../../../src/channels/ntfy/send.ts";
import { ntfy } from "../../support/ntfy.ts";
import { noticeOf, senderTo } from "./channel-support.ts";

const phone = (settings: { token?: string; api?: string } = {}) => {
  const server = ntfy(settings.token === undefined ? {} : { token: settings.token });
  return { server, sender: senderTo(server.handle, settings) };
};

describe("a notification by ntfy", () => {
  it("says what is asked, and opens the page, whatever the alphabet", async () => {
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
        title: "Urgent: vérifie le frigo 🧊",
        message: "冷蔵庫",
        priority: 5,
        click: "https://mess.test/respond?ref=2031-04-05-006&token=x",
        actions: [expect.objectContaining({ action: "view", label: "Open" })],
      }),
    ]);
  });

  it("is replaced without a sound when the thread changes; news stays as it was said", async () => {
    const { server, sender } = phone();
    await channel.send(sender, "ann-phone", noticeOf());
    await channel.send(sender, "ann-phone", noticeOf({ kind: "news", news: "the answer: blue" }));

    const change = noticeOf({ kind: "update", news: "claimed by Ben", status: "claimed" });
    await channel.update?.(sender, "ann-phone", "ntfy1", { ...change, edits: "offer" });
    await channel.update?.(sender, "ann-phone", "ntfy2", { ...change, edits: "news" });

    expect(
      server.shown("ann-phone").map(({ title, message, priority }) => [title, message, priority]),
    ).toEqual([
      ["The answer: blue", "About: check what is in the fridge", 3],
      ["check what is in the fridge", "Claimed by Ben", 1],
    ]);
  });

  it("goes to the household's own server, or to the address of a topic", async () => {
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

  it("carries its token, and says nothing of it when it is refused", async () => {
    const { server, sender } = phone({ token: "tk_right" });
    const wrong = senderTo(server.handle, { token: "tk_wrong" });

    expect(await channel.send(sender, "ann-phone", noticeOf())).toMatchObject({ ok: true });
    const refused = await channel.send(wrong, "ann-phone", noticeOf());

    expect(refused).toEqual({ ok: false, reason: "ntfy answered 403" });
  });

  it("tells how long to wait", async () => {
    const { server, sender } = phone();
    server.fail({ status: 429, wait: 30 }, "broken");

    expect(await channel.send(sender, "a", noticeOf())).toMatchObject({ retry_after: 30 });
    expect(await channel.send(sender, "a", noticeOf())).toMatchObject({ ok: false });
  });

  it("keeps within what one message may hold", async () => {
    const { server, sender } = phone();
    const context = Array.from({ length: 20 }, () => "ü".repeat(400));

    await channel.send(sender, "ann-phone", noticeOf({ context }));

    expect(new TextEncoder().encode(server.messages[0]!.message).byteLength).toBeLessThanOrEqual(
      4_096,
    );
  });
});
