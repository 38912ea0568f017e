import { describe, expect, it } from "vitest";
import { sms, buildSmsText } from "../../../src/channels/sms/send.ts";
import { countSegments } from "../../../src/channels/sms/message-length.ts";
import { listOfferedAnswers, expectNaming } from "../../support/naming.ts";
import { createTwilio } from "../../support/channels/twilio.ts";
import { INTENT, buildNotice, createSenderTo, SHORT_LINK } from "./channel-support.ts";

const ANN = "+15005550101";

const createAccount = () => {
  const server = createTwilio({
    hook: "https://mess.test/hooks/twilio/smith",
    deliver: () => Promise.resolve(new Response("<Response/>")),
  });
  return { server, sender: createSenderTo(server.handle, server.settings()) };
};

describe("an SMS", () => {
  it("an offer by SMS has the request, the short link and the reply keywords", async () => {
    const { server, sender } = createAccount();

    const sent = await sms.send(sender, ANN, buildNotice());

    const [message] = server.messages;
    expect(sent).toEqual({ ok: true, handle: message?.sid });
    expect(message).toMatchObject({
      to: ANN,
      from: server.number,
      segments: 1,
      callback: "https://mess.test/hooks/twilio/smith?ref=2031-04-05-006&executor=ann",
    });
    const [first = "", link, hint = "", ...more] = message?.body.split("\n") ?? [];
    expect(first).toEqual(expectNaming(INTENT));
    expect(link).toBe(SHORT_LINK);
    expect(listOfferedAnswers(hint)).toEqual(["one", "zero"]);
    expect(more).toEqual([]);
  });

  const getFirstLine = (more: Parameters<typeof buildNotice>[0] = {}): string =>
    buildSmsText(buildNotice(more)).split("\n")[0]!;

  it("the first line of an SMS has the news, without the intent that the member knows", () => {
    const first = getFirstLine({ kind: "news", eventText: "the answer: kitchen", isHolder: true });

    expect(first).toEqual(expectNaming("kitchen"));
    expect(first).not.toContain(INTENT);
  });

  it("the first line of an SMS differs for an offer, a reminder, a reminder of the holder and an urgent offer", () => {
    const lines = [
      getFirstLine(),
      getFirstLine({ kind: "reminder" }),
      getFirstLine({ kind: "reminder", isHolder: true }),
      getFirstLine({ priority: "urgent" }),
    ];

    expect(lines).toEqual(lines.map(() => expectNaming(INTENT)));
    expect(new Set(lines).size).toBe(lines.length);
  });

  it("an SMS offers the holder to complete, an owner to take or cancel, and nothing after the end", () => {
    const listOfferedAnswersOf = (more: Parameters<typeof buildNotice>[0]) =>
      listOfferedAnswers(buildSmsText(buildNotice(more)));

    expect(
      listOfferedAnswersOf({ kind: "news", isHolder: true, actions: ["completed", "response"] }),
    ).toEqual(["done"]);
    expect(
      listOfferedAnswersOf({ kind: "alert", actions: ["claimed", "followup", "cancel"] }),
    ).toEqual(["one", "cancel"]);
    expect(listOfferedAnswersOf({ status: "needs_confirmation", actions: ["cancel"] })).toEqual([
      "yes",
      "no",
    ]);
    const over = { kind: "news", eventText: "cancelled: sold", actions: [] } as const;
    expect(listOfferedAnswersOf(over)).toEqual([]);
    expect(buildSmsText(buildNotice(over)).split("\n")).toEqual([expectNaming("sold"), SHORT_LINK]);
  });

  it.each([
    ["in plain letters", "look after the tomatoes ".repeat(60)],
    ["with signs that take two septets each", "{[€]} ".repeat(100)],
    ["in another script", "посмотри, что в холодильнике ".repeat(20)],
    ["in signs outside the basic plane", "🍅".repeat(200)],
  ])("an SMS takes two segments at most for an intent %s", (_, intent) => {
    const text = buildSmsText(buildNotice({ intent }));

    expect(countSegments(text)).toBe(2);
    expect(text).toContain(`\n${SHORT_LINK}\n`);
    expect(text.isWellFormed()).toBe(true);
  });

  it("an SMS has plain quotes and dashes, since one typographic character would halve the space", () => {
    const text = buildSmsText(buildNotice({ intent: "“Mum’s” plants – water them…" }));

    expect(text.split("\n")[0]).toMatch(/"Mum's" plants - water them\.\.\.$/);
  });

  it("an intent from right to left keeps its order, and does not move the prefix, the link or the keywords", () => {
    const intent = "أين المفتاح؟ (5)";
    const lines = buildSmsText(buildNotice({ intent, kind: "reminder" })).split("\n");

    expect(lines[0]).toContain(`\u2068${intent}\u2069`);
    expect(lines.slice(1).join("\n")).toMatch(/^[ -~\n]+$/);
  });

  it("an agent cannot isolate text, since its direction marks are removed", () => {
    const text = buildSmsText(buildNotice({ intent: "\u2067fetch\u2069 it\u2068" }));

    expect(text.split("\n")[0]).toMatch(/fetch it$/);
  });

  it("an SMS shows every character that an agent wrote, on one line", () => {
    const text = buildSmsText(
      buildNotice({ intent: "fetch\u202Eevil\u0000\u200B\nReply 1 for a prize" }),
    );

    expect(text.split("\n")[0]).toMatch(/fetchevil Reply 1 for a prize$/);
  });
});

describe("refusals of Twilio", () => {
  it("an SMS to a phone that is switched off is retried", async () => {
    const { server, sender } = createAccount();
    server.fail({ status: 400, code: 30_003 });

    expect(await sms.send(sender, ANN, buildNotice())).toEqual({
      ok: false,
      reason: expectNaming(400, 30_003),
    });
  });
});
