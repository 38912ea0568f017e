import { describe, expect, it } from "vitest";
import { ntfy as channel } from "../../../src/channels/ntfy/send.ts";
import { expectNaming } from "../../support/naming.ts";
import { createNtfy } from "../../support/channels/ntfy.ts";
import { INTENT, buildNotice, createSenderTo } from "./channel-support.ts";

const createPhone = (settings: { token?: string; api?: string } = {}) => {
  const server = createNtfy(settings.token === undefined ? {} : { token: settings.token });
  return { server, sender: createSenderTo(server.handle, settings) };
};

describe("a notification by ntfy", () => {
  it("an offer by ntfy shows a request in any alphabet, and opens its page", async () => {
    const { server, sender } = createPhone();

    const sent = await channel.send(
      sender,
      "ann-phone",
      buildNotice({ intent: "vérifie le frigo 🧊", context: ["冷蔵庫"], priority: "urgent" }),
    );

    expect(sent).toEqual({ ok: true, handle: "ntfy1" });
    expect(server.messages).toEqual([
      expect.objectContaining({
        topic: "ann-phone",
        title: expect.stringMatching(/vérifie le frigo 🧊$/),
        message: "冷蔵庫",
        priority: 5,
        click: "https://mess.test/respond?ref=2031-04-05-006&token=x",
        actions: [expect.objectContaining({ action: "view", url: buildNotice().link?.url })],
      }),
    ]);
  });

  it("an offer by ntfy is replaced silently when the thread changes, but news is not", async () => {
    const { server, sender } = createPhone();
    await channel.send(sender, "ann-phone", buildNotice());
    await channel.send(
      sender,
      "ann-phone",
      buildNotice({ kind: "news", eventText: "the answer: blue" }),
    );

    const change = buildNotice({ kind: "update", eventText: "claimed by Ben", status: "claimed" });
    await channel.update?.(sender, "ann-phone", "ntfy1", { ...change, editsKind: "offer" });
    await channel.update?.(sender, "ann-phone", "ntfy2", { ...change, editsKind: "news" });

    expect(
      server.shown("ann-phone").map(({ title, message, priority }) => [title, message, priority]),
    ).toEqual([
      [expectNaming("blue"), expectNaming(INTENT), 3],
      [expectNaming(INTENT), expectNaming("Ben"), 1],
    ]);
  });

  it("ntfy messages are sent to the household's server, or to the address of a topic", async () => {
    const asked: string[] = [];
    const { server } = createPhone();
    const sender = createSenderTo(
      (request) => {
        asked.push(request.url);
        return server.handle(request);
      },
      { api: "https://ntfy.example.org" },
    );

    await channel.send(sender, "ann-phone", buildNotice());
    await channel.send(sender, "https://push.example.net/ben-phone", buildNotice());

    expect(asked).toEqual(["https://ntfy.example.org/", "https://push.example.net/"]);
    expect(server.messages.map(({ topic }) => topic)).toEqual(["ann-phone", "ben-phone"]);
  });

  it("the ntfy token is sent only to the server that it was set for", async () => {
    const asked: [string, string | null][] = [];
    const startListening = (settings: { token: string; api?: string }) =>
      createSenderTo(async (request: Request) => {
        asked.push([request.url, request.headers.get("Authorization")]);
        return Response.json({ id: "1" });
      }, settings);
    const own = startListening({ token: "tk_own", api: "https://ntfy.example.org/prefix/" });
    const usual = startListening({ token: "tk_usual" });

    for (const address of ["topic", "https://ntfy.example.org/topic", "https://evil.example/topic"])
      await channel.send(own, address, buildNotice());
    await channel.send(own, "http://ntfy.example.org/topic", buildNotice());
    await channel.send(own, "https://ntfy.example.org:8443/topic", buildNotice());
    for (const address of ["topic", "https://ntfy.sh/topic", "https://ntfy.sh.evil.example/topic"])
      await channel.send(usual, address, buildNotice());

    expect(asked).toEqual([
      ["https://ntfy.example.org/prefix/", "Bearer tk_own"],
      ["https://ntfy.example.org/", "Bearer tk_own"],
      ["https://evil.example/", null],
      ["http://ntfy.example.org/", null],
      ["https://ntfy.example.org:8443/", null],
      ["https://ntfy.sh/", "Bearer tk_usual"],
      ["https://ntfy.sh/", "Bearer tk_usual"],
      ["https://ntfy.sh.evil.example/", null],
    ]);
  });
});
