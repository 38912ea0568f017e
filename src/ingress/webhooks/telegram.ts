/**
 * `POST /hooks/telegram/{household}`: messages and button taps from Telegram. The response is sent after the message
 * is stored in its thread; until then Telegram repeats the update. The response can carry one bot call: a button
 * notice, a reaction, or the reason of a refusal.
 */
import { isSameSecret } from "../../auth/hash.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import { getConfig } from "../../config.ts";
import { createEgress } from "../../egress/egress-fetch.ts";
import { log } from "../../log.ts";
import { ok } from "../../mess/result.ts";
import { decodeUtf8, readBytes } from "../http/request-body.ts";
import {
  type HandlerPromise,
  type OpenHttpCall,
  defineOpenRoute,
  type HttpRoute,
} from "../http/route.ts";
import type { ReceiveOutcome } from "../../channels/chat-event.ts";
import { receiveEvent, resolveSender } from "./receive-chat-event.ts";
import {
  getReceiptText,
  getRefusalText,
  UNKNOWN_SENDER_TEXT,
} from "../../channels/replies/reply-texts.ts";
import { isTransient } from "../../channels/shared/remote-file.ts";
import { buildGuessedTaskReceipt } from "../../channels/replies/guessed-task-receipt.ts";
import {
  getBotId,
  toTelegramRemoteFile,
  readTelegramSettings,
} from "../../channels/telegram/bot.ts";
import { telegramRegister } from "./telegram-register.ts";
import { parseTelegramUpdate, type TelegramEvent } from "../../channels/telegram/receive.ts";

/** Maximum bytes of an update. */
const MAX_UPDATE_BYTES = 1024 * 1024;
/** Seconds for which a failed update is worth another try; Telegram itself would retry for a day. */
const MAX_RETRY_AGE_SECONDS = 600;

async function handleRequest(call: OpenHttpCall): HandlerPromise {
  const { env, request, param } = call;
  const household = param("household");
  const settings = await readTelegramSettings(env, household);
  const actualSecret = request.headers.get("X-Telegram-Bot-Api-Secret-Token") ?? "";
  // A household without a bot takes as long to refuse as a wrong secret, so timing does not reveal bots.
  const isAuthentic = await isSameSecret(settings?.webhook_secret ?? "", actualSecret);
  if (!settings || !isAuthentic) return refuseUnauthenticated();
  const event = parseTelegramUpdate(await readJson(request), getBotId(settings));
  if (!event) return ok({ body: {} });
  const { loopback, origin } = getConfig(env);
  const bot = { settings, egress: createEgress({ loopback, origin }) };
  if (event.isStart) return ok({ body: await buildGreeting(env, household, event) });
  const work = receiveEvent(env, household, {
    ...event.inbound,
    identities: event.identities,
    files: event.files.map((file) => toTelegramRemoteFile(bot, file)),
  });
  // If Telegram disconnects, the work still completes; the repeated update has no second effect.
  call.c.executionCtx.waitUntil(work.catch(() => undefined));
  const result = await work;
  if (!result.ok) log("not_heard", { channel: "telegram", household, code: result.error.code });
  const late = Date.now() / 1_000 - (event.date ?? 0) > MAX_RETRY_AGE_SECONDS;
  if (!result.ok && isTransient(result.error) && event.callbackQueryId === undefined && !late)
    return result;
  return ok({ body: buildReplyCall(event, result) });
}

async function readJson(request: Request): Promise<unknown> {
  const bytes = await readBytes(request, MAX_UPDATE_BYTES);
  const text = bytes.ok ? decodeUtf8(bytes.value) : bytes;
  if (!text.ok) return undefined;
  try {
    return JSON.parse(text.value);
  } catch {
    return undefined;
  }
}

/** The one bot call in the response, in Telegram's format; an empty map means none. */
function buildReplyCall(event: TelegramEvent, result: ReceiveOutcome): object {
  const { chat, callbackQueryId, message, isPrivate } = event;
  const text = result.ok
    ? getReceiptText(result.value, event.inbound.action)
    : getRefusalText(result.error);
  if (callbackQueryId !== undefined)
    return {
      method: "answerCallbackQuery",
      callback_query_id: callbackQueryId,
      text: text.slice(0, 200),
      show_alert: !result.ok,
    };
  // If several threads could be meant, name the chosen one in text, so that the sender can correct it.
  if (result.ok && result.value.isGuessed)
    return buildSentence(event, buildGuessedTaskReceipt(result.value, event.inbound.text ?? ""));
  if (result.ok)
    return {
      method: "setMessageReaction",
      chat_id: chat,
      message_id: message,
      reaction: [{ type: "emoji", emoji: "👍" }],
    };
  // No reply in a group that belongs to no member.
  if (result.error.code === "unknown_executor" && !isPrivate) return {};
  return buildSentence(event, text);
}

const buildSentence = ({ chat, message }: TelegramEvent, text: string): object => ({
  method: "sendMessage",
  chat_id: chat,
  text,
  ...(message === undefined
    ? {}
    : { reply_parameters: { message_id: message, allow_sending_without_reply: true } }),
});

/** Tells a new chat its id, which an owner needs to add the member. */
async function buildGreeting(env: Env, household: string, event: TelegramEvent): Promise<object> {
  const known = await resolveSender(env, household, {
    channel: "telegram",
    id: event.inbound.id,
    identities: event.identities,
    action: "message",
  });
  const isUnknown = !known.ok && known.error.code === "unknown_executor";
  return buildSentence(
    event,
    isUnknown
      ? `${UNKNOWN_SENDER_TEXT} If you are one, send the owner this chat's id: ${event.chat}`
      : "You are a member here. Your tasks will arrive in this chat.",
  );
}

export const telegramRoutes: readonly HttpRoute[] = [
  defineOpenRoute({
    method: "post",
    path: "/hooks/telegram/{household}",
    access: "open",
    summary: "What people do in Telegram",
    description:
      "The webhook of the household's bot, with its secret in X-Telegram-Bot-Api-Secret-Token; each update counts once. The answer may carry one call of the bot.",
    body: { description: "Telegram's own updates", types: ["application/json"] },
    handle: handleRequest,
  }),
  telegramRegister,
];
