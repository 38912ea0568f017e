import { describe, expect, it } from "vitest";
import { telegram as channel } from "../../../src/channels/telegram/send.ts";
import { expectNaming } from "../../support/naming.ts";
import { listActions } from "../../support/channels/telegram-methods.ts";
import { createTelegram } from "../../support/channels/telegram.ts";
import { INTENT, buildNotice, createSenderTo } from "./channel-support.ts";

const ANN = 1_001;

const talk = () => {
  const server = createTelegram({ chats: [ANN] });
  return { server, sender: createSenderTo(server.handle, server.settings()) };
};

describe("a message in Telegram", () => {
  it("an offer in Telegram shows the request, its context, deadline and requestor, and buttons for the allowed actions", async () => {
    const { server, sender } = talk();

    const sent = await channel.send(
      sender,
      ANN,
      buildNotice({
        context: ["we shop at six"],
        expires: "2031-04-05T17:00:00+02:00",
        actions: ["claimed", "declined", "completed", "response"],
      }),
    );

    const [message] = server.messages;
    expect(sent).toEqual({ ok: true, handle: `${ANN}:${message?.id}` });
    expect(message?.text.split("\n")).toEqual([
      expectNaming(INTENT),
      "we shop at six",
      expectNaming("2031-04-05 17:00"),
      expectNaming("scout"),
    ]);
    expect(listActions(message?.keyboard)).toEqual([
      ["respond"],
      ["claimed", "completed", "declined"],
    ]);
    expect(message?.keyboard[1]?.[0]?.callback_data).toBe("c:2031-04-05-006");
  });

  it("a message in Telegram has its link in the text if Telegram would refuse it in a button", async () => {
    const { server, sender } = talk();
    const link = {
      url: "http://localhost:8787/respond?token=x",
      short_url: "http://localhost:8787/r/x",
    };

    const sent = await channel.send(sender, ANN, buildNotice({ link }));

    expect(sent.ok).toBe(true);
    expect(server.messages[0]?.text).toContain("\nhttp://localhost:8787/r/x");
    expect(listActions(server.messages[0]?.keyboard)).toEqual([["claimed", "declined"]]);
  });

  it("the data of a Telegram button has at most 64 bytes, however long the ref is", async () => {
    const { server, sender } = talk();

    const long = await channel.send(sender, ANN, buildNotice({ ref: "x".repeat(128) }));
    const most = await channel.send(
      sender,
      ANN,
      buildNotice({ ref: `2031-04-05-006-${"s".repeat(32)}` }),
    );

    expect([long.ok, most.ok]).toEqual([true, true]);
    expect(server.messages[0]?.keyboard[1]?.[0]?.callback_data).toBe("c:");
    expect(server.messages[1]?.keyboard[1]?.[0]?.callback_data).toMatch(/^c:2031-04-05-006-s+$/);
  });

  it("an edit in Telegram names the holder and removes the buttons, and can be repeated", async () => {
    const { server, sender } = talk();
    await channel.send(sender, ANN, buildNotice());
    const [message] = server.messages;
    const taken = buildNotice({
      kind: "update",
      editsKind: "offer",
      status: "claimed",
      holder: "Ben",
      eventText: "claimed by Ben",
    });

    const first = await channel.update?.(sender, ANN, `${ANN}:${message?.id}`, taken);
    const second = await channel.update?.(sender, ANN, `${ANN}:${message?.id}`, taken);

    expect([first?.ok, second?.ok]).toEqual([true, true]);
    expect(message?.text).toEqual(expectNaming("Ben"));
    expect(listActions(message?.keyboard)).toEqual([["respond"]]);
    expect(message?.versions).toHaveLength(2);
  });

  it("news in Telegram replies to the request, is never edited, and arrives even if the request was deleted", async () => {
    const { server, sender } = talk();
    await channel.send(sender, ANN, buildNotice());
    const [asked] = server.messages;
    const below = `${ANN}:${asked?.id}`;
    const news = {
      kind: "news",
      eventText: "the answer: kitchen",
      isHolder: true,
      holder: "Ann",
    } as const;

    const sent = await channel.send(sender, ANN, buildNotice({ ...news, threadHandle: below }));
    await channel.update?.(
      sender,
      ANN,
      sent.ok ? sent.handle! : "",
      buildNotice({ kind: "update", editsKind: "news", eventText: "in progress" }),
    );
    const orphan = await channel.send(
      sender,
      ANN,
      buildNotice({ ...news, threadHandle: `${ANN}:99` }),
    );

    expect(server.messages[1]).toMatchObject({ replyTo: asked?.id });
    expect(server.messages[1]?.versions).toHaveLength(1);
    expect(orphan.ok).toBe(true);
  });

  it("text of an agent cannot format the message in Telegram, and the longest request fits", async () => {
    const { server, sender } = talk();
    const intent = "<b>now</b> *bold* [bank](https://evil.test) & <script>";
    const context = Array.from({ length: 5 }, () => "🍳".repeat(4_000));

    await channel.send(sender, ANN, buildNotice({ intent }));
    const link = { url: "http://localhost/respond", short_url: "http://localhost/r/x" };
    const long = await channel.send(
      sender,
      ANN,
      buildNotice({ intent: "🍳".repeat(4_000), context, link }),
    );

    expect(server.messages[0]?.text.split("\n")[0]).toBe(intent);
    expect(long.ok).toBe(true);
    expect(server.messages[1]?.text.isWellFormed()).toBe(true);
    expect(server.messages[1]?.text).toMatch(/\nhttp:\/\/localhost\/r\/x$/);
  });
});

describe("refusals of Telegram", () => {
  it("a blocked bot, an unknown chat and a wrong token in Telegram fail permanently", async () => {
    const { server, sender } = talk();
    const unknown = await channel.send(sender, 2_002, buildNotice());
    server.act.block(ANN);
    const blocked = await channel.send(sender, ANN, buildNotice());
    server.act.revoke();
    const revoked = await channel.send(sender, ANN, buildNotice());

    expect([unknown, blocked, revoked]).toEqual([
      { ok: false, isPermanent: true, reason: expectNaming("Bad Request: chat not found") },
      {
        ok: false,
        isPermanent: true,
        reason: expectNaming("Forbidden: bot was blocked by the user"),
      },
      { ok: false, isPermanent: true, reason: expectNaming("Unauthorized") },
    ]);
  });
});
