import { afterEach, describe, expect, it, vi } from "vitest";
import { PNG } from "../../support/png.ts";
import type { TelegramFileIn } from "../../support/telegram-bot.ts";
import { ANN, telegramHome } from "./telegram-home.ts";

const photo: TelegramFileIn = { kind: "photo", bytes: PNG };

afterEach(() => vi.unstubAllGlobals());

describe("files", () => {
  it("that cannot be had now are asked for again, and come with their words once", async () => {
    const { server, askLook, saidIn, threadOf, write } = await telegramHome();
    const { ref, message } = await askLook("look for the keys");
    server.fail({ status: 429, wait: 3 });

    const first = await write({ to: message, file: photo, text: "see", update: 7 });
    expect(first.status).toBe(500);
    expect(await saidIn(ref)).toEqual([]);
    const second = await write({ to: message, file: photo, text: "see", update: 7 });

    expect(second.status).toBe(200);
    expect(await saidIn(ref)).toEqual(["response"]);
    expect((await threadOf(ref)).attachments).toHaveLength(1);
  });

  it("that are too large, or not had for ten minutes, are told to the person", async () => {
    const { server, askLook, saidIn, write } = await telegramHome();
    const { ref, message } = await askLook("look for the keys");
    const large = { kind: "video", bytes: PNG, size: 21 * 1024 * 1024 } as const;
    const date = Math.floor(Date.now() / 1_000) - 700;

    const tooLarge = await write({ to: message, file: large, text: "see" });
    server.fail({ status: 502 });
    const late = await write({ to: message, file: photo, text: "see", date });

    expect([tooLarge.status, late.status]).toEqual([200, 200]);
    const told = server.inChat(ANN).slice(1);
    expect(told.map(({ text }) => text)).toEqual([
      "That is too large to be passed on from here. Open the link, and send it there.",
      "That could not be passed on. Please try again, or open the link.",
    ]);
    expect(told[0]).toMatchObject({ replyTo: tooLarge.message });
    expect(await saidIn(ref)).toEqual([]);
  });
});
