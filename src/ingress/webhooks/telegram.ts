/**
 * `POST /hooks/telegram/{household}`: messages and button taps from Telegram. The response is sent after the message
 * is stored in its thread; until then Telegram repeats the update. The response can carry one bot call: a button
 * notice, a reaction, or the reason of a refusal.
 */
import { getHouseholdStub } from "../../stubs.ts";
import { isKnownHousehold } from "../../auth/known-households.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import { getConfig } from "../../config.ts";
import { createEgress } from "../../egress/egress-fetch.ts";
import { log } from "../../log.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { readBytes } from "../http/request-body.ts";
import {
  type HandlerPromise,
  type NoHouseholdCall,
  defineNoHouseholdRoute,
  type HttpRoute,
} from "../http/route.ts";
import type { ReceiveOutcome } from "../../channels/chat-event.ts";
import { receiveResolved } from "./receive-chat-event.ts";
import {
  getReceiptText,
  getRefusalText,
  UNKNOWN_SENDER_TEXT,
} from "../../channels/replies/reply-texts.ts";
import { isTransient } from "../../channels/shared/remote-file.ts";
import { buildGuessedTaskReceipt } from "../../channels/replies/guessed-task-receipt.ts";
import type { InboundRequest } from "../../channels/inbound.ts";
import { telegramConfig } from "../../channels/telegram/config.ts";
import { toTelegramRemoteFile } from "../../channels/telegram/bot.ts";
import { telegramRegister } from "./telegram-register.ts";
import { toTelegramMessage } from "../../source-kinds/telegram/receive.ts";
import { receiveSourceMessage, type SourceReceipt } from "./receive-source-message.ts";
import type { TelegramEvent } from "../../channels/telegram/receive.ts";

/** Maximum bytes of an update. */
const MAX_UPDATE_BYTES = 1024 * 1024;
/** Seconds for which a failed update is worth another try; Telegram itself would retry for a day. */
const MAX_RETRY_AGE_SECONDS = 600;

async function handleRequest(call: NoHouseholdCall): HandlerPromise {
  const { env, request, param } = call;
  const body = await readBytes(request, MAX_UPDATE_BYTES);
  const work = receiveUpdate(env, param("household"), {
    url: request.url,
    headers: request.headers,
    // An update that is too large has no effect, so that Telegram does not repeat it.
    body: body.ok ? body.value : new Uint8Array(),
  });
  // If Telegram disconnects, the work still completes; the repeated update has no second effect.
  call.c.executionCtx.waitUntil(work.catch(() => undefined));
  return await work;
}

async function receiveUpdate(env: Env, household: string, request: InboundRequest): HandlerPromise {
  if (!(await isKnownHousehold(env, household))) return refuseUnauthenticated();
  const { contacts } = getHouseholdStub(env, household);
  const received = await contacts.receiveInbound("telegram", request);
  if (!received) return refuseUnauthenticated();
  const { event, settings, resolved, source } = received;
  if (!event || !resolved) return ok({ body: {} });
  const isForSource = source !== undefined && !resolved.ok;
  const greeting = event.isStart && buildGreeting(event, resolved, source !== undefined);
  if (greeting && !(isForSource && hasOwnContent(event))) return ok({ body: greeting });
  const { loopback, origin } = getConfig(env);
  const bot = {
    settings: telegramConfig.settings.parse(settings),
    egress: createEgress({ loopback, origin }),
  };
  const files = event.files.map((file) => toTelegramRemoteFile(bot, file));
  const late = Date.now() / 1_000 - (event.date ?? 0) > MAX_RETRY_AGE_SECONDS;
  if (isForSource) {
    const message = toTelegramMessage(event, request.body, bot.settings, Date.now());
    const ids = { household, source };
    const chatMessage = { message, files, refusal: resolved.error, isRepeated: !late };
    const stored = await receiveSourceMessage(env, ids, chatMessage);
    if (!stored.ok) return stored;
    return ok({ body: greeting || buildSourceReceipt(event, stored.value) });
  }
  const result = await receiveResolved(env, household, resolved, {
    ...event.inbound,
    identities: event.identities,
    files,
  });
  if (!result.ok) log("not_heard", { channel: "telegram", household, code: result.error.code });
  if (!result.ok && isTransient(result.error) && event.callbackQueryId === undefined && !late)
    return result;
  return ok({ body: buildReplyCall(event, result) });
}

/** The one bot call in the response, in Telegram's format; an empty map means none. */
function buildReplyCall(event: TelegramEvent, result: ReceiveOutcome): object {
  const { callbackQueryId, isPrivate } = event;
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
  if (result.ok) return buildReaction(event, "👍");
  // No reply in a group that belongs to no member.
  if (result.error.code === "unknown_executor" && !isPrivate) return {};
  return buildSentence(event, text);
}

/** A thumb would say that a task was answered. */
function buildSourceReceipt(event: TelegramEvent, receipt: SourceReceipt): object {
  if (receipt.kind === "none") return {};
  return receipt.kind === "text" ? buildSentence(event, receipt.text) : buildReaction(event, "👀");
}

const buildReaction = ({ chat, message }: TelegramEvent, emoji: string): object => ({
  method: "setMessageReaction",
  chat_id: chat,
  message_id: message,
  reaction: [{ type: "emoji", emoji }],
});

const buildSentence = ({ chat, message }: TelegramEvent, text: string): object => ({
  method: "sendMessage",
  chat_id: chat,
  text,
  ...(message === undefined
    ? {}
    : { reply_parameters: { message_id: message, allow_sending_without_reply: true } }),
});

/** The person wrote or sent more than the command that opens the chat. */
const hasOwnContent = ({ inbound: { text = "", location }, files }: TelegramEvent): boolean =>
  files.length > 0 || location !== undefined || !/^\/?start(?:@\w+)?\s*$/.test(text);

/** Tells a new chat its id, which an owner needs to add the member. */
function buildGreeting(event: TelegramEvent, known: Outcome<unknown>, hasSource: boolean): object {
  const isUnknown = !known.ok && known.error.code === "unknown_executor";
  const toStranger = hasSource ? "Write your message here." : UNKNOWN_SENDER_TEXT;
  const ifMember = hasSource ? "If you are a member" : "If you are one";
  return buildSentence(
    event,
    isUnknown
      ? `${toStranger} ${ifMember}, send the owner this chat's id: ${event.chat}`
      : "You are a member here. Your tasks will arrive in this chat.",
  );
}

export const telegramRoutes: readonly HttpRoute[] = [
  defineNoHouseholdRoute({
    method: "post",
    path: "/hooks/telegram/{household}",
    access: "open",
    summary: "Receive messages and button taps from Telegram",
    description:
      "The webhook of the household's bot, with its secret in X-Telegram-Bot-Api-Secret-Token; each update counts once. The answer may carry one call of the bot.",
    body: { description: "Telegram's own updates", types: ["application/json"] },
    handle: handleRequest,
  }),
  telegramRegister,
];
