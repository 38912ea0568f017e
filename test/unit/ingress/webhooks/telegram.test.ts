import { describe, expect, it } from "vitest";
import { parseTelegramUpdate } from "../../../../src/channels/telegram/receive.ts";

const BOT = 700_001;
const chat = { id: 1_001, type: "private" };
const from = { id: 1_001, is_bot: false };
const buildUpdate = (more: object) => ({
  update_id: 5,
  message: { message_id: 9, date: 1, chat, from, ...more },
});
const parseEvent = (more: object) => parseTelegramUpdate(buildUpdate(more), BOT);

describe("a Telegram update", () => {
  it("a Telegram message is the text of a person, identified by the chat", () => {
    expect(parseEvent({ text: "two eggs" })).toMatchObject({
      identities: ["1001"],
      inbound: { channel: "telegram", id: "5", action: "message", text: "two eggs" },
    });
  });

  it("a Telegram photo counts once, in its largest size, and a sticker as its emoji", () => {
    const sizes = [
      { file_id: "small", file_size: 100 },
      { file_id: "large", file_size: 9_000 },
      { file_id: "middle", file_size: 800 },
    ];
    expect(parseEvent({ photo: sizes })?.files).toEqual([
      { id: "large", name: "photo.jpg", mime: "image/jpeg" },
    ]);
    expect(parseEvent({ photo: sizes.map(({ file_id }) => ({ file_id })) })?.files[0]?.id).toBe(
      "middle",
    );
    expect(parseEvent({ sticker: { emoji: "👍" } })?.inbound.text).toBe("👍");
  });

  it("a Telegram reply is matched to its thread by the keyboard of our message, else by the message", () => {
    const ours = {
      message_id: 4,
      from: { id: BOT, is_bot: true },
      reply_markup: {
        inline_keyboard: [[{ url: "https://x" }], [{ callback_data: "f:2031-01-01-001" }]],
      },
    };
    expect(parseEvent({ text: "x", reply_to_message: ours })?.inbound).toMatchObject({
      ref: "2031-01-01-001",
      handle: "1001:4",
    });
    const theirs = { ...ours, from: { id: 3 } };
    expect(parseEvent({ text: "x", reply_to_message: theirs })?.inbound).not.toHaveProperty("ref");
    const bare = { message_id: 4, from: { id: BOT, is_bot: true } };
    expect(parseEvent({ text: "x", reply_to_message: bare })?.inbound).not.toHaveProperty("ref");
  });

  it("a Telegram button reports its action, and an unknown button nothing", () => {
    const tap = (data: string) =>
      parseTelegramUpdate(
        { update_id: 6, callback_query: { id: "q", from, data, message: { message_id: 4, chat } } },
        BOT,
      )?.inbound;

    expect(tap("c:2031-01-01-001")).toMatchObject({ action: "claimed", ref: "2031-01-01-001" });
    expect(tap("d:")).toMatchObject({ action: "declined", handle: "1001:4" });
    expect(tap("d:")).not.toHaveProperty("ref");
    expect(tap("owner:1")).toMatchObject({ action: "message" });
  });

  it("a Telegram message in a group is for us only as a reply to our message", () => {
    const group = { id: -100, type: "supergroup", username: "our_home" };
    const reply = { message_id: 4, from: { id: BOT, is_bot: true } };

    expect(parseEvent({ chat: group, text: "done" })).toBeUndefined();
    expect(
      parseEvent({
        chat: group,
        text: "done",
        reply_to_message: { message_id: 3, from: { id: 2 } },
      }),
    ).toBeUndefined();
    expect(parseEvent({ chat: group, text: "done", reply_to_message: reply })?.identities).toEqual([
      "-100",
      "@our_home",
    ]);
  });

  it.each([
    ["/done", "done"],
    ["/done@household_bot", "done"],
    ["/done with it", "/done with it"],
  ])("the Telegram command %s is read as %s", (sent, meant) => {
    expect(parseEvent({ text: sent })?.inbound.text).toBe(meant);
  });

  it.each([
    null,
    7,
    [],
    {},
    { update_id: 1 },
    { update_id: 1, edited_message: { text: "x" } },
    { update_id: 1, callback_query: { id: "q", from: { id: 1 } } },
    buildUpdate({ from: { id: 2, is_bot: true }, text: "done" }),
  ])("a Telegram update without an action becomes no event: %j", (payload) => {
    expect(parseTelegramUpdate(payload, BOT)).toBeUndefined();
  });
});
