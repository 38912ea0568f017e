/**
 * Messages to the household's Telegram bot that answer no request. They arrive by the webhook of the bot; replies are
 * sent by the bot, as replies to the original.
 */
import { telegramConfig, type TelegramSettings } from "../../channels/telegram/config.ts";
import {
  buildReplyParameters,
  callTelegramApi,
  MAX_TELEGRAM_CHARS,
} from "../../channels/telegram/send.ts";
import { readOutgoingText, sendOnce } from "../chat/outgoing-text.ts";
import type { KindContext, OutgoingMessage, SourceKind, SourceSendResult } from "../source-kind.ts";

export const telegramKind: SourceKind<TelegramSettings> = {
  channel: "telegram",
  settings: telegramConfig.settings,
  secrets: [],
  isSingle: true,
  explainCannotSend: () => undefined,
  send: sendTelegramMessage,
};

/** Without a parse mode, so that the text cannot format the message. */
async function sendTelegramMessage(
  context: KindContext<TelegramSettings>,
  message: OutgoingMessage,
): Promise<SourceSendResult> {
  const outgoing = readOutgoingText(message, MAX_TELEGRAM_CHARS);
  if ("ok" in outgoing) return outgoing;
  const { to, text } = outgoing;
  const { channel, external_id: original } = message.answers ?? {};
  return await sendOnce(context, (own) =>
    callTelegramApi(own, "sendMessage", {
      chat_id: to,
      text,
      link_preview_options: { is_disabled: true },
      // Numbers of messages count within one chat.
      ...(channel === to ? buildReplyParameters(original) : {}),
    }),
  );
}
