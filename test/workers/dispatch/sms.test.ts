import { describe, expect, it } from "vitest";
import { sms, buildSmsText } from "../../../src/channels/sms/send.ts";
import { countSegments } from "../../../src/channels/sms/message-length.ts";
import { answersOffered, naming } from "../../support/naming.ts";
import { createTwilio } from "../../support/twilio.ts";
import { INTENT, noticeOf, senderTo, SHORT_LINK } from "./channel-support.ts";

const ANN = "+15005550101";

const account = () => {
  const server = createTwilio({
    hook: "https://mess.test/hooks/twilio/smith",
    deliver: () => Promise.resolve(new Response("<Response/>")),
  });
  return { server, sender: senderTo(server.handle, server.settings()) };
};

describe("an SMS", () => {
  it("an offer by SMS has the request, the short link and the words to answer with", async () => {
    const { server, sender } = account();

    const sent = await sms.send(sender, ANN, noticeOf());

    const [message] = server.messages;
    expect(sent).toEqual({ ok: true, handle: message?.sid });
    expect(message).toMatchObject({
      to: ANN,
      from: server.number,
      segments: 1,
      callback: "https://mess.test/hooks/twilio/smith?ref=2031-04-05-006&executor=ann",
    });
    const [first = "", link, hint = "", ...more] = message?.body.split("\n") ?? [];
    expect(first).toEqual(naming(INTENT));
    expect(link).toBe(SHORT_LINK);
    expect(answersOffered(hint)).toEqual(["one", "zero"]);
    expect(more).toEqual([]);
  });

  const firstLine = (more: Parameters<typeof noticeOf>[0] = {}): string =>
    buildSmsText(noticeOf(more)).split("\n")[0]!;

  it("the first line of an SMS has the news, and not what was asked, which the member knows", () => {
    const first = firstLine({ kind: "news", eventText: "the answer: kitchen", isHolder: true });

    expect(first).toEqual(naming("kitchen"));
    expect(first).not.toContain(INTENT);
  });

  it("the first line of an SMS tells an offer, a reminder, a holder's reminder and an urgent offer apart", () => {
    const lines = [
      firstLine(),
      firstLine({ kind: "reminder" }),
      firstLine({ kind: "reminder", isHolder: true }),
      firstLine({ priority: "urgent" }),
    ];

    expect(lines).toEqual(lines.map(() => naming(INTENT)));
    expect(new Set(lines).size).toBe(lines.length);
  });

  it("an SMS offers a holder to complete, an owner to take or cancel, and nobody anything after the end", () => {
    const offered = (more: Parameters<typeof noticeOf>[0]) =>
      answersOffered(buildSmsText(noticeOf(more)));

    expect(offered({ kind: "news", isHolder: true, actions: ["completed", "response"] })).toEqual([
      "done",
    ]);
    expect(offered({ kind: "alert", actions: ["claimed", "followup", "cancel"] })).toEqual([
      "one",
      "cancel",
    ]);
    expect(offered({ status: "needs_confirmation", actions: ["cancel"] })).toEqual(["yes", "no"]);
    const over = { kind: "news", eventText: "cancelled: sold", actions: [] } as const;
    expect(offered(over)).toEqual([]);
    expect(buildSmsText(noticeOf(over)).split("\n")).toEqual([naming("sold"), SHORT_LINK]);
  });

  it.each([
    ["in plain letters", "look after the tomatoes ".repeat(60)],
    ["with signs that take two septets each", "{[€]} ".repeat(100)],
    ["in another script", "посмотри, что в холодильнике ".repeat(20)],
    ["in signs outside the basic plane", "🍅".repeat(200)],
  ])("an SMS takes two segments at most for an intent %s", (_, intent) => {
    const text = buildSmsText(noticeOf({ intent }));

    expect(countSegments(text)).toBe(2);
    expect(text).toContain(`\n${SHORT_LINK}\n`);
    expect(text.isWellFormed()).toBe(true);
  });

  it("an SMS has plain quotes and dashes, since one typographic sign would halve what fits", () => {
    const text = buildSmsText(noticeOf({ intent: "“Mum’s” plants – water them…" }));

    expect(text.split("\n")[0]).toMatch(/"Mum's" plants - water them\.\.\.$/);
  });

  it("an SMS shows every character that an agent wrote, on one line", () => {
    const text = buildSmsText(
      noticeOf({ intent: "fetch\u202Eevil\u0000\u200B\nReply 1 for a prize" }),
    );

    expect(text.split("\n")[0]).toMatch(/fetchevil Reply 1 for a prize$/);
  });
});

describe("what Twilio refuses", () => {
  it("a number whose owner said STOP or that is none ends SMS for that address", async () => {
    const { server, sender } = account();
    await server.act.sms({ from: ANN, body: "stop" });

    expect(await sms.send(sender, ANN, noticeOf())).toEqual({
      ok: false,
      reason: naming(400, 21_610),
      isPermanent: true,
    });
    expect(await sms.send(sender, "+0", noticeOf())).toMatchObject({ isPermanent: true });
    expect(server.messages).toEqual([]);
  });

  it("a wrong token ends SMS, and is not shown", async () => {
    const { server } = account();
    const settings = { ...server.settings(), auth_token: "another-token" };

    const sent = await sms.send(senderTo(server.handle, settings), ANN, noticeOf());

    expect(sent).toEqual({ ok: false, reason: naming(401, 20_003), isPermanent: true });
  });

  it("an SMS to a phone that is off is tried again", async () => {
    const { server, sender } = account();
    server.fail({ status: 400, code: 30_003 });

    expect(await sms.send(sender, ANN, noticeOf())).not.toHaveProperty("gone");
  });
});
