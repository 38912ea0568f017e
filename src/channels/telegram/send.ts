/**
 * Telegram by a bot of the household: one message with an inline keyboard for each request, edited as the thread
 * changes; what is new comes as a reply to it. What people do there is read by `ingress/webhooks/telegram.ts`. Text is
 * sent without a parse mode, so what agents wrote formats nothing.
 */
import type { Channel, Notice, Sender, Sent } from "../channel.ts";
import type { EgressAnswer } from "../../egress/egress.ts";
import { buttonsOf, leadsToPage, lines, staysAsSaid } from "../shared/buttons.ts";
import { mapOf, refusedBy, unsent, waitOf } from "../shared/send-failures.ts";
import { headline } from "../shared/notice-text.ts";
import { CHANNEL_SCHEMAS, type TelegramSettings } from "../schemas.ts";
import { stripEnd } from "../../mess/strip.ts";

/** Characters of a message, by UTF-16. */
const MOST = 4_096;
/** Bytes of what a button sends back. */
const MOST_DATA = 64;

/** What each button sends back, before the thread's ref. */
export const TAPS = { c: "claimed", d: "declined", f: "completed", x: "cancel" } as const;
type Tap = keyof typeof TAPS;

export const telegram: Channel<TelegramSettings, string | number> = {
  ...CHANNEL_SCHEMAS.telegram,
  kind: "telegram",
  carries: { edits: true, updates: false, buttons: true, characters: MOST },
  send: async (sender, address, notice) => {
    const below = placeOf(notice.below);
    return await call(sender, "sendMessage", {
      chat_id: address,
      ...contentOf(notice),
      ...(below === undefined
        ? {}
        : {
            reply_parameters: {
              message_id: below.message_id,
              // Who deleted the first message still hears what is new.
              allow_sending_without_reply: true,
            },
          }),
    });
  },
  update: async (sender, _address, handle, notice) => {
    const place = placeOf(handle);
    if (place === undefined || staysAsSaid(notice)) return { ok: true, handle };
    return await call(sender, "editMessageText", { ...place, ...contentOf(notice) });
  },
};

/** `-100123:45` names a message: the chat and its number there. */
function placeOf(handle: string | undefined): { chat_id: number; message_id: number } | undefined {
  const [, chat, message] = /^(-?\d+):(\d+)$/.exec(handle ?? "") ?? [];
  return chat === undefined ? undefined : { chat_id: Number(chat), message_id: Number(message) };
}

export const telegramHandle = (chat: number, message: number): string => `${chat}:${message}`;

const apiOf = ({ api = "https://api.telegram.org" }: TelegramSettings): string =>
  stripEnd(api, "/");

/** Where the bot's methods are called; its token is part of the address. */
export const telegramMethod = (settings: TelegramSettings, method: string): string =>
  `${apiOf(settings)}/bot${settings.bot_token}/${method}`;

/** Where a file lies, by the path that `getFile` gives. */
export const telegramFileAddress = (settings: TelegramSettings, path: string): string =>
  `${apiOf(settings)}/file/bot${settings.bot_token}/${path}`;

async function call(
  { settings, egress, now }: Sender<TelegramSettings>,
  method: "sendMessage" | "editMessageText",
  body: object,
): Promise<Sent> {
  const answer = await egress.send(telegramMethod(settings, method), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) return unsent(answer.error);
  const { ok: taken, result } = mapOf(answer.value.text);
  if (taken === true) {
    const { message_id, chat } = (result ?? {}) as { message_id?: number; chat?: { id?: number } };
    return typeof message_id === "number" && typeof chat?.id === "number"
      ? { ok: true, handle: telegramHandle(chat.id, message_id) }
      : { ok: true };
  }
  return failed(answer.value, now, method);
}

/** The message is as it should be, or is not there to be edited. */
const UNEDITABLE = /message is not modified|message to edit not found|message can't be edited/i;
/** 400, but the chat will never take anything. */
const NO_CHAT = /chat not found|group chat was upgraded|user not found|PEER_ID_INVALID/i;

function failed(answer: EgressAnswer, now: number, method: string): Sent {
  const { description, parameters } = mapOf(answer.text);
  const said = typeof description === "string" ? description : "";
  if (method === "editMessageText" && UNEDITABLE.test(said)) return { ok: true };
  // 401 and 404 are a token that is none; 403 a bot that was blocked or thrown out.
  const gone =
    [401, 403, 404].includes(answer.status) || (answer.status === 400 && NO_CHAT.test(said));
  const refused = refusedBy("Telegram", answer, now, gone);
  const wait = (parameters as { retry_after?: unknown } | undefined)?.retry_after;
  return {
    ...refused,
    ...(typeof wait === "number" ? { retry_after: waitOf(wait) } : {}),
    reason: /^[\w :,.'()-]{1,120}$/.test(said) ? `Telegram refused it: ${said}` : refused.reason,
  };
}

function contentOf(notice: Notice): object {
  const { link } = notice;
  const page = link !== undefined && leadsToPage(notice) ? link : undefined;
  // Telegram refuses a keyboard with an address that is not a public one: it goes into the text.
  const tappable = page !== undefined && isPublic(page.url);
  const linkLine = page === undefined || tappable ? "" : `\n${page.short_url}`;
  const text = fitting([headline(notice), ...lines(notice)], MOST - linkLine.length) + linkLine;
  const taps = buttonsOf(notice).map(({ act, label }) => ({
    text: label,
    callback_data: tapData(act, notice.ref),
  }));
  const rows = [...(tappable ? [[{ text: "Respond", url: page.url }]] : []), taps];
  return {
    text,
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: rows.filter((row) => row.length > 0) },
  };
}

/** Whole lines, as many as there is room for; the first always has it. */
function fitting(all: readonly string[], room: number): string {
  let text = "";
  for (const line of all) {
    if (text.length + line.length + 1 > room) break;
    text += text === "" ? line : `\n${line}`;
  }
  return text;
}

/** Without the ref where it is too long: then the message that was tapped says which thread is meant. */
function tapData(act: (typeof TAPS)[Tap], ref: string): string {
  const tap = (Object.keys(TAPS) as Tap[]).find((key) => TAPS[key] === act);
  const whole = `${tap}:${ref}`;
  return new TextEncoder().encode(whole).length <= MOST_DATA ? whole : `${tap}:`;
}

function isPublic(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return (
    protocol === "https:" && /\.[a-z]/i.test(hostname) && !/\.(local|localhost)$/i.test(hostname)
  );
}
