/**
 * `POST /hooks/telegram/{household}`: what people do in Telegram, messages and buttons alike. Telegram is answered when
 * what was done is in its thread; until then it sends the update again. The answer itself carries one call of the bot:
 * the notice on a button, a sign below a message, or the sentence that says why it was not taken.
 */
import { isSameSecret } from "../../auth/hash.ts";
import { unauthenticated } from "../../auth/unauthenticated.ts";
import { configOf } from "../../config.ts";
import { egressOf } from "../../egress/egress-fetch.ts";
import { log } from "../../log.ts";
import type { Outcome } from "../../mess/errors.ts";
import { ok } from "../../mess/result.ts";
import { decode, readBytes } from "../http/request-body.ts";
import { type Handled, type OpenCall, openRoute, type Route } from "../http/route.ts";
import type { Heard } from "../../channels/chat-event.ts";
import { receiveFrom, wordsOfRefusal } from "./receive-chat-event.ts";
import { receiptWords, STRANGER } from "../../channels/replies/reply-texts.ts";
import { mayPass } from "../../channels/shared/remote-file.ts";
import { spokenReceipt } from "../../channels/replies/guessed-task-receipt.ts";
import { botId, telegramFile, telegramSettings } from "../../channels/telegram/bot.ts";
import { telegramRegister } from "./telegram-register.ts";
import { deedOfUpdate, type TelegramDeed } from "../../channels/telegram/receive.ts";

/** Bytes of an update. */
const MOST = 1024 * 1024;
/** Seconds for which an update is asked for again where it may still be taken; Telegram itself would go on for a day. */
const PATIENCE = 600;

async function takeIn(call: OpenCall): Handled {
  const { env, request, param } = call;
  const household = param("household");
  const settings = await telegramSettings(env, household);
  const given = request.headers.get("X-Telegram-Bot-Api-Secret-Token") ?? "";
  // A household without a bot takes as long to refuse as a wrong secret.
  const same = await isSameSecret(settings?.webhook_secret ?? "", given);
  if (!settings || !same) return unauthenticated();
  const deed = deedOfUpdate(await readJson(request), botId(settings));
  if (!deed) return ok({ body: {} });
  const { loopback, origin } = configOf(env);
  const bot = { settings, egress: egressOf({ loopback, origin }) };
  if (deed.starts) return ok({ body: await greeting(env, household, deed) });
  const work = receiveFrom(env, household, deed.names, {
    ...deed.inbound,
    files: deed.files.map((file) => telegramFile(bot, file)),
  });
  // Should Telegram hang up, what was begun is still ended; the update comes again and counts once.
  call.c.executionCtx.waitUntil(work.catch(() => undefined));
  const heard = await work;
  if (!heard.ok) log("not_heard", { channel: "telegram", household, code: heard.error.code });
  const late = Date.now() / 1_000 - (deed.date ?? 0) > PATIENCE;
  if (!heard.ok && mayPass(heard.error) && deed.tap === undefined && !late) return heard;
  return ok({ body: await answerTo(env, household, deed, heard) });
}

async function readJson(request: Request): Promise<unknown> {
  const bytes = await readBytes(request, MOST);
  const text = bytes.ok ? decode(bytes.value) : bytes;
  if (!text.ok) return undefined;
  try {
    return JSON.parse(text.value);
  } catch {
    return undefined;
  }
}

/** The one call that the answer carries, as Telegram reads it; an empty map is none. */
async function answerTo(
  env: Env,
  household: string,
  deed: TelegramDeed,
  heard: Outcome<Heard>,
): Promise<object> {
  const { chat, tap, message, alone } = deed;
  const words = heard.ok
    ? receiptWords(heard.value, deed.inbound.act)
    : await wordsOfRefusal(env, household, heard.error);
  if (tap !== undefined)
    return {
      method: "answerCallbackQuery",
      callback_query_id: tap,
      text: words.slice(0, 200),
      show_alert: !heard.ok,
    };
  // Which of several was meant is said in words, since they may have meant another.
  if (heard.ok && heard.value.guessed)
    return sentence(deed, spokenReceipt(heard.value, deed.inbound.text ?? ""));
  if (heard.ok)
    return {
      method: "setMessageReaction",
      chat_id: chat,
      message_id: message,
      reaction: [{ type: "emoji", emoji: "👍" }],
    };
  // A group that is nobody's hears nothing.
  if (heard.error.code === "unknown_executor" && !alone) return {};
  return sentence(deed, words);
}

const sentence = ({ chat, message }: TelegramDeed, text: string): object => ({
  method: "sendMessage",
  chat_id: chat,
  text,
  ...(message === undefined
    ? {}
    : { reply_parameters: { message_id: message, allow_sending_without_reply: true } }),
});

/** Whoever opens the chat learns the one thing that an owner needs to let them in. */
async function greeting(env: Env, household: string, deed: TelegramDeed): Promise<object> {
  const known = await receiveFrom(env, household, deed.names, {
    channel: "telegram",
    id: deed.inbound.id,
    act: "say",
  });
  const stranger = !known.ok && known.error.code === "unknown_executor";
  return sentence(
    deed,
    stranger
      ? `${STRANGER} Should you be one, give the owner this chat's id: ${deed.chat}`
      : "You are known here. What you are asked for will come to this chat.",
  );
}

export const telegramRoutes: readonly Route[] = [
  openRoute({
    method: "post",
    path: "/hooks/telegram/{household}",
    access: "open",
    summary: "What people do in Telegram",
    description:
      "The webhook of the household's bot, with its secret in X-Telegram-Bot-Api-Secret-Token; each update counts once. The answer may carry one call of the bot.",
    body: { description: "Telegram's own updates", types: ["application/json"] },
    handle: takeIn,
  }),
  telegramRegister,
];
