import { afterEach, describe, expect, it, vi } from "vitest";
import { PNG } from "../../../support/media/png.ts";
import type { TelegramFileIn } from "../../../support/channels/telegram-bot.ts";
import { readRefusal } from "../../../support/answers.ts";
import { ANN, createTelegramHousehold } from "./telegram-household.ts";

const photo: TelegramFileIn = { kind: "photo", bytes: PNG };

afterEach(() => vi.unstubAllGlobals());

describe("files in Telegram", () => {
  it("a Telegram message with a file that is too large or unavailable for ten minutes is refused with the reason", async () => {
    const { server, askLook, listMessagesIn, write } = await createTelegramHousehold();
    const { ref, message } = await askLook("look for the keys");
    const large = { kind: "video", bytes: PNG, size: 21 * 1024 * 1024 } as const;
    const date = Math.floor(Date.now() / 1_000) - 700;

    const tooLarge = await write({ to: message, file: large, text: "see" });
    server.fail({ status: 502 });
    const late = await write({ to: message, file: photo, text: "see", date });

    expect([tooLarge.status, late.status]).toEqual([200, 200]);
    const told = server.inChat(ANN).slice(1);
    expect(told.map(({ text }) => text)).toEqual([
      readRefusal("too_large"),
      readRefusal("internal"),
    ]);
    expect(told[0]).toMatchObject({ replyTo: tooLarge.message });
    expect(await listMessagesIn(ref)).toEqual([]);
  });
});
