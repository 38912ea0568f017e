/** Telegram's refusals of messages from bots, with Telegram's texts. */
import { ACTION_BY_BUTTON_CODE } from "../../../src/channels/telegram/send.ts";

export interface TelegramButton {
  readonly text?: string;
  readonly callback_data?: string;
  readonly url?: string;
}

export type Keyboard = readonly (readonly TelegramButton[])[];

const ACTIONS: Readonly<Record<string, string>> = ACTION_BY_BUTTON_CODE;

/** The action of a button, whatever its label: `claimed`, or `respond` for one that opens the page. */
export const getAction = ({ callback_data = "", url }: TelegramButton): string | undefined =>
  url === undefined ? ACTIONS[callback_data.split(":")[0] ?? ""] : "respond";

/** The actions of a keyboard, row by row. */
export const listActions = (keyboard: Keyboard = []): (string | undefined)[][] =>
  keyboard.map((row) => row.map(getAction));

export interface TelegramBody {
  readonly chat_id?: number | string;
  readonly message_id?: number;
  readonly text?: string;
  readonly parse_mode?: string;
  readonly reply_markup?: { readonly inline_keyboard?: Keyboard };
  readonly reply_parameters?: {
    readonly message_id: number;
    readonly allow_sending_without_reply?: boolean;
  };
  readonly reaction?: readonly { readonly type: string; readonly emoji: string }[];
  readonly callback_query_id?: string;
  readonly show_alert?: boolean;
  readonly file_id?: string;
  readonly url?: string;
  readonly secret_token?: string;
  readonly allowed_updates?: readonly string[];
}

/** The reason why a text with its keyboard is refused; undefined if it is accepted. */
export function checkText({
  text = "",
  parse_mode,
  reply_markup,
}: TelegramBody): string | undefined {
  if (text.trim() === "") return "Bad Request: message text is empty";
  if (text.length > 4_096) return "Bad Request: message is too long";
  if (parse_mode !== undefined && /<(?!\/?[abiu]>)/.test(text))
    return "Bad Request: can't parse entities";
  for (const button of (reply_markup?.inline_keyboard ?? []).flat()) {
    const { text: label = "", callback_data, url } = button;
    if (label === "") return "Bad Request: inline keyboard button text must be non-empty";
    if ((callback_data === undefined) === (url === undefined))
      return "Bad Request: Text buttons are unallowed in the inline keyboard";
    if (callback_data !== undefined) {
      const length = new TextEncoder().encode(callback_data).length;
      if (length < 1 || length > 64) return "Bad Request: BUTTON_DATA_INVALID";
    }
    if (url !== undefined && !isPublic(url))
      return `Bad Request: inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`;
  }
  return undefined;
}

function isPublic(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return /^https?:$/.test(protocol) && hostname.includes(".") && !hostname.startsWith("127.");
}
