/**
 * Sends to Telegram by the household's bot: one message with an inline keyboard for each request, edited when the
 * thread changes, with updates as replies to it. Replies of people are received by `ingress/webhooks/telegram.ts`. Text
 * is sent without a parse mode, so text of agents cannot format the message.
 */
import type { Channel, Notice, SendContext, SendResult } from "../channel.ts";
import type { EgressResponse } from "../../egress/egress.ts";
import { buildButtons, needsPageLink, buildLines, isFixedMessage } from "../shared/buttons.ts";
import {
  parseJsonMap,
  toRefusedFailure,
  toUnsentFailure,
  clampWaitSeconds,
} from "../shared/send-failures.ts";
import { buildHeadline } from "../shared/notice-text.ts";
import { telegramConfig, type TelegramSettings } from "./config.ts";
import { stripEnd } from "../../mess/strip.ts";

/** Maximum UTF-16 code units of a message. */
export const MAX_TELEGRAM_CHARS = 4_096;
/** Maximum bytes of the data that a button sends back. */
const MAX_BUTTON_DATA_BYTES = 64;

/** The code that each button sends back, followed by the thread's ref. */
export const ACTION_BY_BUTTON_CODE = {
  c: "claimed",
  d: "declined",
  f: "completed",
  x: "cancel",
} as const;
type ButtonCode = keyof typeof ACTION_BY_BUTTON_CODE;

export const telegram: Channel<TelegramSettings, string | number> = {
  ...telegramConfig,
  features: { edits: true, updates: false, buttons: true, maxCharacters: MAX_TELEGRAM_CHARS },
  send: async (sender, address, notice) => {
    return await callTelegramApi(sender, "sendMessage", {
      chat_id: address,
      ...buildContent(notice),
      ...buildReplyParameters(notice.threadHandle),
    });
  },
  update: async (sender, _address, handle, notice) => {
    const message = readTelegramHandle(handle);
    if (message === undefined || isFixedMessage(notice)) return { ok: true, handle };
    return await callTelegramApi(sender, "editMessageText", {
      ...message,
      ...buildContent(notice),
    });
  },
};

/** Reads a handle such as `-100123:45`: the chat and the number of the message. */
function readTelegramHandle(
  handle: string | undefined,
): { chat_id: number; message_id: number } | undefined {
  const [, chat, message] = /^(-?\d+):(\d+)$/.exec(handle ?? "") ?? [];
  return chat === undefined ? undefined : { chat_id: Number(chat), message_id: Number(message) };
}

/** Makes the message a reply to another one of its chat. */
export function buildReplyParameters(handle: string | undefined): object {
  const parent = readTelegramHandle(handle);
  if (parent === undefined) return {};
  const { message_id } = parent;
  // It arrives even if the other one was deleted.
  return { reply_parameters: { message_id, allow_sending_without_reply: true } };
}

export const writeTelegramHandle = (chat: number, message: number): string => `${chat}:${message}`;

const getApiUrl = ({ api = "https://api.telegram.org" }: TelegramSettings): string =>
  stripEnd(api, "/");

/** URL of a method of the bot. It contains the token, so it must never be logged. */
export const buildMethodUrl = (settings: TelegramSettings, method: string): string =>
  `${getApiUrl(settings)}/bot${settings.bot_token}/${method}`;

/** URL of a file, from the path that `getFile` returns. It contains the token. */
export const buildFileUrl = (settings: TelegramSettings, path: string): string =>
  `${getApiUrl(settings)}/file/bot${settings.bot_token}/${path}`;

export async function callTelegramApi(
  { settings, egress, now }: Omit<SendContext<TelegramSettings>, "env">,
  method: "sendMessage" | "editMessageText",
  body: object,
): Promise<SendResult> {
  const response = await egress.send(buildMethodUrl(settings, method), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) return toUnsentFailure(response.error);
  const { ok: isAccepted, result } = parseJsonMap(response.value.text);
  if (isAccepted === true) {
    const { message_id, chat } = (result ?? {}) as { message_id?: number; chat?: { id?: number } };
    return typeof message_id === "number" && typeof chat?.id === "number"
      ? { ok: true, handle: writeTelegramHandle(chat.id, message_id) }
      : { ok: true };
  }
  return toTelegramFailure(response.value, now, method);
}

/** The message already has this content, or can no longer be edited. */
const UNEDITABLE_PATTERN =
  /message is not modified|message to edit not found|message can't be edited/i;
/** Refusals with status 400 after which the chat will never accept a message. */
const NO_CHAT_PATTERN = /chat not found|group chat was upgraded|user not found|PEER_ID_INVALID/i;

function toTelegramFailure(response: EgressResponse, now: number, method: string): SendResult {
  const { description, parameters } = parseJsonMap(response.text);
  const reason = typeof description === "string" ? description : "";
  if (method === "editMessageText" && UNEDITABLE_PATTERN.test(reason)) return { ok: true };
  // 401 and 404: the token is invalid. 403: the bot was blocked or removed from the group.
  const isGone =
    [401, 403, 404].includes(response.status) ||
    (response.status === 400 && NO_CHAT_PATTERN.test(reason));
  const refused = toRefusedFailure("Telegram", response, now, isGone);
  const wait = (parameters as { retry_after?: unknown } | undefined)?.retry_after;
  return {
    ...refused,
    ...(typeof wait === "number" ? { retryAfterSeconds: clampWaitSeconds(wait) } : {}),
    reason: /^[\w :,.'()-]{1,120}$/.test(reason)
      ? `Telegram refused it: ${reason}`
      : refused.reason,
  };
}

function buildContent(notice: Notice): object {
  const { link } = notice;
  const page = link !== undefined && needsPageLink(notice) ? link : undefined;
  // Telegram refuses a keyboard with a URL that is not public, so such a link goes into the text.
  const tappable = page !== undefined && isPublicUrl(page.url);
  const linkLine = page === undefined || tappable ? "" : `\n${page.short_url}`;
  const text =
    fitLines([buildHeadline(notice), ...buildLines(notice)], MAX_TELEGRAM_CHARS - linkLine.length) +
    linkLine;
  const taps = buildButtons(notice).map(({ action, label }) => ({
    text: label,
    callback_data: buildButtonData(action, notice.ref),
  }));
  const rows = [...(tappable ? [[{ text: "Respond", url: page.url }]] : []), taps];
  return {
    text,
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: rows.filter((row) => row.length > 0) },
  };
}

/** The complete lines that fit. The first line is always shorter than the limit. */
function fitLines(all: readonly string[], maxTextChars: number): string {
  let text = "";
  for (const line of all) {
    if (text.length + line.length + 1 > maxTextChars) break;
    text += text === "" ? line : `\n${line}`;
  }
  return text;
}

/** Leaves out a ref that is too long; the tapped message then identifies the thread. */
function buildButtonData(action: (typeof ACTION_BY_BUTTON_CODE)[ButtonCode], ref: string): string {
  const tap = (Object.keys(ACTION_BY_BUTTON_CODE) as ButtonCode[]).find(
    (key) => ACTION_BY_BUTTON_CODE[key] === action,
  );
  const data = `${tap}:${ref}`;
  return new TextEncoder().encode(data).length <= MAX_BUTTON_DATA_BYTES ? data : `${tap}:`;
}

function isPublicUrl(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return (
    protocol === "https:" && /\.[a-z]/i.test(hostname) && !/\.(local|localhost)$/i.test(hostname)
  );
}
