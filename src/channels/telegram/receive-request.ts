/** Updates of Telegram, which contain the secret that the webhook was registered with. */
import { decodeUtf8 } from "../../bytes.ts";
import { isSameSecret } from "../../auth/hash.ts";
import type { ReadRequest } from "../inbound.ts";
import { readJsonValue } from "../shared/request-body.ts";
import { getBotId } from "./bot.ts";
import { telegramConfig } from "./config.ts";
import { parseTelegramUpdate, type TelegramEvent } from "./receive.ts";

export const readTelegramRequest: ReadRequest<TelegramEvent | null> = async (
  stored,
  { headers, body },
) => {
  const read = telegramConfig.settings.safeParse(stored);
  const secret = read.success ? read.data.webhook_secret : undefined;
  const actualSecret = headers.get("X-Telegram-Bot-Api-Secret-Token") ?? "";
  const isAuthentic = await isSameSecret(secret ?? "", actualSecret);
  if (!read.success || secret === undefined || !isAuthentic) return undefined;
  const event = parseTelegramUpdate(readJsonValue(decodeUtf8(body)), getBotId(read.data));
  if (!event) return { event: null };
  const { inbound, identities, files } = event;
  return { event, message: { ...inbound, identities, files } };
};
