/**
 * Telegram with one bot, as the exchange meets it: its Bot API, people who tap and write, and the bot's webhook, which
 * is told of it with its secret. A call in the webhook's answer is carried out. Web requests in and out, so it runs in
 * any runtime; `telegram-server.ts` puts it on a port.
 */
import type { Fault } from "./fault-injection.ts";
import {
  type BotOptions,
  createTelegramBot,
  type TelegramFileIn,
  type TelegramMessage,
} from "./telegram-bot.ts";
import { getAction, type TelegramBody } from "./telegram-methods.ts";

export interface TelegramOptions extends BotOptions {
  /** How updates reach the webhook: `fetch` where nothing else is given. */
  readonly deliver?: (request: Request) => Promise<Response>;
  /** Where the Bot API is reached. */
  readonly api?: string;
  /** Milliseconds before each further delivery of an update that was not taken. */
  readonly retries?: readonly number[];
}

export interface TelegramCall {
  /** The same again is the same update. */
  readonly update?: number;
  /** Another secret than the webhook's; empty for none. */
  readonly secret?: string;
  /** Another webhook. */
  readonly hook?: string;
}

export interface TelegramWriting extends TelegramCall {
  readonly chat: number;
  readonly text?: string;
  readonly file?: TelegramFileIn;
  readonly location?: { readonly latitude: number; readonly longitude: number };
  readonly venue?: string;
  /** The message that is answered. */
  readonly to?: { readonly id: number };
  /** One of several that were sent as one. */
  readonly album?: string;
  /** Who writes, where the chat is a group. */
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

  /** One update to the webhook, and again where it is not taken. A call in the answer is carried out. */
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
      // Telegram tells nobody what became of it.
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
      ...(file.name === undefined ? {} : { file_name: file.name }),
      ...(file.type === undefined ? {} : { mime_type: file.type }),
    };
    return { [file.kind]: { ...about, ...named } };
  }

  const buildPerson = (chat: number, from = chat) => ({
    id: from,
    is_bot: false,
    first_name: "Somebody",
  });

  /** A person writes to the bot, or answers one of its messages. Resolves with the webhook's answer. */
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
          ...(location ? { location } : {}),
          ...(venue !== undefined && location
            ? { venue: { location, title: venue, address: "" } }
            : {}),
          ...(album === undefined ? {} : { media_group_id: album }),
          ...(about ? { reply_to_message: sent(about) } : {}),
        },
      },
      writing,
    );
    return Object.assign(response, { message: message_id });
  }

  /** A person taps the button of this action, such as `claimed`. */
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
    /** By the number of the message below which they stand. */
    reactions: api.reactions,
    /** Calls in answers that Telegram refused. */
    unheard,
    webhook,
    handle: api.handle,
    movedTo: (api: string): void => {
      place.api = api;
    },
    /** `dispatch.createTelegram` of a household that uses it. */
    settings: () => ({ bot_token: token, api: place.api }),
    /** The bot's messages in a chat, oldest first. */
    inChat: (chat: number): TelegramMessage[] => messages.filter((one) => one.chat === chat),
    fail: (...next: Fault[]): void => faults.add(...next),
    outage: faults.outage,
    lift: faults.lift,
    act: {
      write,
      tap,
      /** Any update, as it stands. */
      update: (of: object, call: TelegramCall = {}): Promise<Response> => callHook(of, call, []),
      /** Somebody opens the chat with the bot, which may write there from now on. */
      start: async (chat: number, call: TelegramCall = {}): Promise<Response> => {
        chats.add(chat);
        blocked.delete(chat);
        return await write({ chat, text: "/start", ...call });
      },
      block: (chat: number): void => void blocked.add(chat),
      /** Its owner takes a new token from @BotFather. */
      revoke: (): void => {
        api.state.revoked = true;
      },
      remove: (message: TelegramMessage): void => {
        message.deleted = true;
      },
    },
  };
}
