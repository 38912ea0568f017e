/**
 * Telegram by a bot of the household: one message with an inline keyboard for each request, edited as the thread
 * changes; what is new comes as a reply to it. What people do there is read by `ingress/webhooks/telegram.ts`. Text is
 * sent without a parse mode, so what agents wrote formats nothing.
 */
import type { Channel, Notice, SendContext, SendResult } from "../channel.ts";
import type { EgressAnswer } from "../../egress/egress.ts";
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

/** Characters of a message, by UTF-16. */
const MAX_CHARS = 4_096;
/** Bytes of what a button sends back. */
const MAX_BUTTON_DATA_BYTES = 64;

/** What each button sends back, before the thread's ref. */
export const ACTION_BY_BUTTON_CODE = {
  c: "claimed",
  d: "declined",
  f: "completed",
  x: "cancel",
} as const;
type ButtonCode = keyof typeof ACTION_BY_BUTTON_CODE;

export const telegram: Channel<TelegramSettings, string | number> = {
  ...telegramConfig,
  features: { edits: true, updates: false, buttons: true, maxCharacters: MAX_CHARS },
  send: async (sender, address, notice) => {
    const parent = readHandle(notice.threadHandle);
    return await callTelegramApi(sender, "sendMessage", {
      chat_id: address,
      ...buildContent(notice),
      ...(parent === undefined
        ? {}
        : {
            reply_parameters: {
              message_id: parent.message_id,
              // Who deleted the first message still hears what is new.
              allow_sending_without_reply: true,
            },
          }),
    });
  },
  update: async (sender, _address, handle, notice) => {
    const message = readHandle(handle);
    if (message === undefined || isFixedMessage(notice)) return { ok: true, handle };
    return await callTelegramApi(sender, "editMessageText", {
      ...message,
      ...buildContent(notice),
    });
  },
};

/** `-100123:45` names a message: the chat and its number there. */
function readHandle(
  handle: string | undefined,
): { chat_id: number; message_id: number } | undefined {
  const [, chat, message] = /^(-?\d+):(\d+)$/.exec(handle ?? "") ?? [];
  return chat === undefined ? undefined : { chat_id: Number(chat), message_id: Number(message) };
}

export const writeTelegramHandle = (chat: number, message: number): string => `${chat}:${message}`;

const getApiUrl = ({ api = "https://api.telegram.org" }: TelegramSettings): string =>
  stripEnd(api, "/");

/** Where the bot's methods are called; its token is part of the address. */
export const buildMethodUrl = (settings: TelegramSettings, method: string): string =>
  `${getApiUrl(settings)}/bot${settings.bot_token}/${method}`;

/** Where a file lies, by the path that `getFile` gives. */
export const buildFileUrl = (settings: TelegramSettings, path: string): string =>
  `${getApiUrl(settings)}/file/bot${settings.bot_token}/${path}`;

async function callTelegramApi(
  { settings, egress, now }: SendContext<TelegramSettings>,
  method: "sendMessage" | "editMessageText",
  body: object,
): Promise<SendResult> {
  const answer = await egress.send(buildMethodUrl(settings, method), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) return toUnsentFailure(answer.error);
  const { ok: isAccepted, result } = parseJsonMap(answer.value.text);
  if (isAccepted === true) {
    const { message_id, chat } = (result ?? {}) as { message_id?: number; chat?: { id?: number } };
    return typeof message_id === "number" && typeof chat?.id === "number"
      ? { ok: true, handle: writeTelegramHandle(chat.id, message_id) }
      : { ok: true };
  }
  return toTelegramFailure(answer.value, now, method);
}

/** The message is as it should be, or is not there to be edited. */
const UNEDITABLE_PATTERN =
  /message is not modified|message to edit not found|message can't be edited/i;
/** 400, but the chat will never take anything. */
const NO_CHAT_PATTERN = /chat not found|group chat was upgraded|user not found|PEER_ID_INVALID/i;

function toTelegramFailure(answer: EgressAnswer, now: number, method: string): SendResult {
  const { description, parameters } = parseJsonMap(answer.text);
  const reason = typeof description === "string" ? description : "";
  if (method === "editMessageText" && UNEDITABLE_PATTERN.test(reason)) return { ok: true };
  // 401 and 404 are a token that is none; 403 a bot that was blocked or thrown out.
  const isGone =
    [401, 403, 404].includes(answer.status) ||
    (answer.status === 400 && NO_CHAT_PATTERN.test(reason));
  const refused = toRefusedFailure("Telegram", answer, now, isGone);
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
  // Telegram refuses a keyboard with an address that is not a public one: it goes into the text.
  const tappable = page !== undefined && isPublicUrl(page.url);
  const linkLine = page === undefined || tappable ? "" : `\n${page.short_url}`;
  const text =
    fitLines([buildHeadline(notice), ...buildLines(notice)], MAX_CHARS - linkLine.length) +
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

/** Whole lines, as many as there is room for; the first always has it. */
function fitLines(all: readonly string[], maxTextChars: number): string {
  let text = "";
  for (const line of all) {
    if (text.length + line.length + 1 > maxTextChars) break;
    text += text === "" ? line : `\n${line}`;
  }
  return text;
}

/** Without the ref where it is too long: then the message that was tapped says which thread is meant. */
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
