/**
 * A local Telegram with one bot: its Bot API, people who tap and write, and calls of the bot's webhook with its secret.
 * Bot API calls in a webhook response are carried out. It handles web requests, so it runs in any runtime;
 * `telegram-server.ts` serves it on a port.
 */
import { defined } from "../../../src/mess/defined.ts";
import type { Fault } from "../fault-injection.ts";
import {
  type BotOptions,
  createTelegramBot,
  type TelegramFileIn,
  type TelegramMessage,
} from "./telegram-bot.ts";
import { getAction, type TelegramBody } from "./telegram-methods.ts";

export interface TelegramOptions extends BotOptions {
  /** Sends updates to the webhook; default: `fetch`. */
  readonly deliver?: (request: Request) => Promise<Response>;
  /** The address of the Bot API. */
  readonly api?: string;
  /** Milliseconds before each repetition of a failed update. */
  readonly retries?: readonly number[];
}

export interface TelegramCall {
  /** A repeated id is the same update. */
  readonly update?: number;
  /** Sends this secret instead of the webhook's; empty for none. */
  readonly secret?: string;
  /** Calls this webhook instead. */
  readonly hook?: string;
}

export interface TelegramWriting extends TelegramCall {
  readonly chat: number;
  readonly text?: string;
  readonly file?: TelegramFileIn;
  readonly location?: { readonly latitude: number; readonly longitude: number };
  readonly venue?: string;
  /** The message to which it replies. */
  readonly to?: { readonly id: number };
  /** The album, for one of several messages that were sent together. */
  readonly album?: string;
  /** The author, if the chat is a group. */
  readonly from?: number;
  /** Seconds since 1970. */
  readonly date?: number;
}

export function createTelegram(options: TelegramOptions = {}) {
  const api = createTelegramBot(options);
  const { token, chats, blocked, faults, messages, files, webhook, methods, chatOf, sent } = api;
  const deliver = options.deliver ?? ((request: Request) => fetch(request));
  const place = { api: options.api ?? "https://api.telegram.org" };
  const unheard: string[] = [];
  const state = { update: 100_000, tap: 0 };

  /** Sends an update to the webhook, and repeats it after a failure. A call in the response is carried out. */
  async function callHook(
    update: object,
    call: TelegramCall,
    retries: readonly number[] = options.retries ?? [],
  ): Promise<Response> {
    const hook = call.hook ?? webhook.url;
    if (hook === "") throw new Error("the bot has no webhook");
    const secret = call.secret ?? webhook.secret;
    const body = { update_id: call.update ?? ++state.update, ...update };
    const response = await deliver(
      new Request(hook, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(secret === "" ? {} : { "X-Telegram-Bot-Api-Secret-Token": secret }),
        },
        body: JSON.stringify(body),
      }),
    );
    const [wait, ...more] = retries;
    if (!response.ok && wait !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      return await callHook(update, { ...call, update: body.update_id }, more);
    }
    if (!response.ok) return response;
    const answer = (await response.clone().json()) as TelegramBody & { method?: string };
    if (answer.method !== undefined) {
      const done = methods[answer.method]?.(answer);
      // Telegram does not report the result of such a call.
      if (!done?.ok) unheard.push((await done?.text()) ?? answer.method);
    }
    return response;
  }

  function storeFile(file: TelegramFileIn): object {
    const id = `${file.kind}-${crypto.randomUUID()}`;
    files.set(id, file);
    const size = file.size ?? file.bytes.byteLength;
    const about = { file_id: id, file_unique_id: id, file_size: size };
    if (file.kind === "photo") {
      const small = `${id}-small`;
      files.set(small, { ...file, bytes: file.bytes.slice(0, 16) });
      return {
        photo: [
          { ...about, file_id: small, file_size: 16, width: 90, height: 60 },
          { ...about, width: 1_280, height: 853 },
        ],
      };
    }
    const named = {
      ...defined({ file_name: file.name, mime_type: file.type }),
    };
    return { [file.kind]: { ...about, ...named } };
  }

  const buildPerson = (chat: number, from = chat) => ({
    id: from,
    is_bot: false,
    first_name: "Somebody",
  });

  /** Writes to the bot, or replies to one of its messages. Resolves with the webhook's response. */
  async function write(writing: TelegramWriting): Promise<Response & { message?: number }> {
    const { chat, text, file, location, venue, to, album, from, date } = writing;
    const about = to && messages.find((one) => one.chat === chat && one.id === to.id);
    const message_id = ++api.state.message;
    const response = await callHook(
      {
        message: {
          message_id,
          date: date ?? Math.floor(Date.now() / 1_000),
          chat: chatOf(chat),
          from: buildPerson(chat, from),
          ...(text === undefined ? {} : { [file ? "caption" : "text"]: text }),
          ...(file ? storeFile(file) : {}),
          ...defined({ location }),
          ...(venue !== undefined && location
            ? { venue: { location, title: venue, address: "" } }
            : {}),
          ...defined({ media_group_id: album }),
          ...(about ? { reply_to_message: sent(about) } : {}),
        },
      },
      writing,
    );
    return Object.assign(response, { message: message_id });
  }

  /** Taps the button of this action, such as `claimed`. */
  async function tap(
    message: TelegramMessage,
    action: string,
    call: TelegramCall & { from?: number; data?: string } = {},
  ): Promise<Response> {
    const button = message.keyboard.flat().find((one) => getAction(one) === action);
    const data = call.data ?? button?.callback_data;
    if (data === undefined) throw new Error(`the message has no button ${action}`);
    return await callHook(
      {
        callback_query: {
          id: `tap-${call.update ?? ++state.tap}-${state.update}`,
          from: buildPerson(message.chat, call.from),
          message: sent(message),
          chat_instance: "1",
          data,
        },
      },
      call,
      [],
    );
  }

  return {
    token,
    bot: api.bot,
    messages,
    answers: api.answers,
    /** By the number of the parent message. */
    reactions: api.reactions,
    /** Calls in responses that Telegram refused. */
    unheard,
    webhook,
    handle: api.handle,
    movedTo: (api: string): void => {
      place.api = api;
    },
    /** `dispatch.telegram` of a household that uses the bot. */
    settings: () => ({ bot_token: token, api: place.api }),
    /** The bot's messages in a chat, oldest first. */
    inChat: (chat: number): TelegramMessage[] => messages.filter((one) => one.chat === chat),
    fail: (...next: Fault[]): void => faults.add(...next),
    outage: faults.outage,
    endOutage: faults.endOutage,
    act: {
      write,
      tap,
      /** Sends any update unchanged. */
      update: (of: object, call: TelegramCall = {}): Promise<Response> => callHook(of, call, []),
      /** Opens the chat with the bot, which may write there from now on. */
      start: async (chat: number, call: TelegramCall = {}): Promise<Response> => {
        chats.add(chat);
        blocked.delete(chat);
        return await write({ chat, text: "/start", ...call });
      },
      block: (chat: number): void => void blocked.add(chat),
      /** Revokes the token, as its owner would with @BotFather. */
      revoke: (): void => {
        api.state.revoked = true;
      },
      remove: (message: TelegramMessage): void => {
        message.deleted = true;
      },
    },
  };
}
