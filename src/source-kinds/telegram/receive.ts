/** A message to the bot as a source's message. */
import { getBotId } from "../../channels/telegram/bot.ts";
import type { TelegramSettings } from "../../channels/telegram/config.ts";
import type { TelegramEvent } from "../../channels/telegram/receive.ts";
import { writeTelegramHandle } from "../../channels/telegram/send.ts";
import { defined } from "../../mess/defined.ts";
import { buildChatBody } from "../chat/incoming-text.ts";
import type { ParsedMessage } from "../source-kind.ts";

/**
 * @param update the request's body
 * @param now milliseconds since 1970
 */
export function toTelegramMessage(
  { chat, message = 0, date, author, isPrivate, inbound, files }: TelegramEvent,
  update: Uint8Array,
  settings: TelegramSettings,
  now: number,
): ParsedMessage {
  const { id = chat, username, name } = author ?? {};
  return {
    external_id: writeTelegramHandle(chat, message),
    sender: username === undefined ? String(id) : `@${username}`,
    ...defined({ sender_name: name }),
    recipient: String(getBotId(settings)),
    body: buildChatBody(inbound, files.length > 0),
    timestamp: date === undefined ? now : date * 1_000,
    headers: [
      ["Chat", String(chat)],
      ["Chat-Type", isPrivate ? "private" : "group"],
      ["From-Id", String(id)],
      ["Message-Id", String(message)],
    ],
    ...(inbound.handle === undefined ? {} : { references: [inbound.handle] }),
    channel: String(chat),
    attachments: [],
    raw: { mime: "application/json", bytes: update },
  };
}
