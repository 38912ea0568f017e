/** Telegram's Bot API on a port of this machine. */
import { serveLocally } from "./serve.ts";
import { createTelegram, type TelegramOptions } from "./telegram.ts";

/** `act.tap` is a person at a button, `act.write` one who answers; `messages` is all that the bot has sent. */
export async function startTelegram(options: Omit<TelegramOptions, "api"> = {}) {
  const server = createTelegram(options);
  const { origin, stop } = await serveLocally(server.handle);
  server.movedTo(origin);
  return { ...server, api: origin, stop };
}
