/** Starts a local Telegram Bot API. */
import { serveLocally } from "./serve.ts";
import { createTelegram, type TelegramOptions } from "../channels/telegram.ts";

/** `act.tap` taps a button, `act.write` writes a message; `messages` holds all messages of the bot. */
export async function startTelegram(options: Omit<TelegramOptions, "api"> = {}) {
  const server = createTelegram(options);
  const { origin, stop } = await serveLocally(server.handle);
  server.movedTo(origin);
  return { ...server, api: origin, stop };
}
