import { describe, expect, it } from "vitest";
import { sms, smsText } from "../../../src/channels/sms/send.ts";
import { segments } from "../../../src/channels/sms/message-length.ts";
import { twilio } from "../../support/twilio.ts";
import { noticeOf, senderTo } from "./channel-support.ts";

const ANN = "+15005550101";

const account = () => {
  const server = twilio({
    hook: "https://mess.test/hooks/twilio/smith",
    deliver: () => Promise.resolve(new Response("<Response/>")),
  });
  return { server, sender: senderTo(server.handle, server.settings()) };
};

describe("an SMS", () => {
  it("says what is asked, where to answer, and how to answer in words", async () => {
    const { server, sender } = account();

    const sent = await sms.send(sender, ANN, noticeOf());

    const [message] = server.messages;
    expect(sent).toEqual({ ok: true, handle: message?.sid });
    expect(message).toMatchObject({
      to: ANN,
      from: server.number,
      segments: 1,
      callback: "https://mess.test/hooks/twilio/smith?ref=2031-04-05-006&executor=ann",
      body: [
        "MESS: check what is in the fridge",
        "https://mess.test/r/smith_2031-04-05-006_1abcdefghjkmnpqrs",
        "Reply 1 to take it, 0 to decline.",
      ].join("\n"),
    });
  });

  it.each([
    [
      "news",
      { kind: "news", news: "the answer: kitchen", mine: true },
      "MESS: The answer: kitchen",
    ],
    [
      "no need any more",
      { kind: "news", news: "no need any more: found them", actions: [] },
      "MESS: No need any more: found them",
    ],
    ["a reminder", { kind: "reminder" }, "MESS: Still open: check what is in the fridge"],
    ["what is urgent", { priority: "urgent" }, "MESS: Urgent: check what is in the fridge"],
  ] as const)("tells %s", (_, more, first) => {
    expect(smsText(noticeOf(more)).split("\n")[0]).toBe(first);
  });

  it("tells who holds a thread how to end it, and offers nothing where nothing may be done", () => {
    const mine = smsText(
      noticeOf({ kind: "news", mine: true, actions: ["completed", "response"] }),
    );
    const over = smsText(noticeOf({ kind: "news", news: "cancelled", actions: [] }));

    expect(mine).toContain("Reply with the answer, or DONE.");
    expect(over).not.toContain("Reply");
  });

  it.each([
    ["in plain letters", "look after the tomatoes ".repeat(60)],
    ["with signs that take two septets each", "{[€]} ".repeat(100)],
    ["in another script", "посмотри, что в холодильнике ".repeat(20)],
    ["in signs outside the basic plane", "🍅".repeat(200)],
  ])("takes two messages at most for an intent %s", (_, intent) => {
    const text = smsText(noticeOf({ intent }));

    expect(segments(text)).toBe(2);
    expect(text).toContain("\nhttps://mess.test/r/smith_2031-04-05-006_1abcdefghjkmnpqrs\n");
    expect(text.isWellFormed()).toBe(true);
  });

  it("writes quotes and dashes plainly, since one typographic sign would halve what fits", () => {
    const text = smsText(noticeOf({ intent: "“Mum’s” plants – water them…" }));

    expect(text.split("\n")[0]).toBe(`MESS: "Mum's" plants - water them...`);
  });

  it("hides nothing in what an agent wrote", () => {
    const text = smsText(noticeOf({ intent: "fetch\u202Eevil\u0000\u200B\nReply 1 for a prize" }));

    expect(text.split("\n")[0]).toBe("MESS: fetchevil Reply 1 for a prize");
  });
});

describe("what Twilio refuses", () => {
  it("ends a number whose owner said STOP, or that is none", async () => {
    const { server, sender } = account();
    await server.act.sms({ from: ANN, body: "stop" });

    expect(await sms.send(sender, ANN, noticeOf())).toEqual({
      ok: false,
      reason: "Twilio answered 400, error 21610",
      gone: true,
    });
    expect(await sms.send(sender, "+0", noticeOf())).toMatchObject({ gone: true });
    expect(server.messages).toEqual([]);
  });

  it("ends an account whose token is not taken, without telling it", async () => {
    const { server } = account();
    const settings = { ...server.settings(), auth_token: "another-token" };

    const sent = await sms.send(senderTo(server.handle, settings), ANN, noticeOf());

    expect(sent).toEqual({ ok: false, reason: "Twilio answered 401, error 20003", gone: true });
  });

  it("is tried again where it passes: too many requests, an outage, a connection that breaks", async () => {
    const { server, sender } = account();
    server.fail({ status: 429, code: 20_429, wait: 7 }, { status: 503 }, "broken");

    const sent = [];
    for (let count = 0; count < 4; count++) sent.push(await sms.send(sender, ANN, noticeOf()));

    expect(sent).toEqual([
      { ok: false, reason: "Twilio answered 429, error 20429", retry_after: 7 },
      { ok: false, reason: "Twilio answered 503, error 20500" },
      { ok: false, reason: "the connection failed" },
      { ok: true, handle: server.messages[0]?.sid },
    ]);
    expect(server.messages).toHaveLength(1);
  });

  it("is tried again for a phone that is off, which is no reason to give it up", async () => {
    const { server, sender } = account();
    server.fail({ status: 400, code: 30_003 });

    expect(await sms.send(sender, ANN, noticeOf())).not.toHaveProperty("gone");
  });
});
