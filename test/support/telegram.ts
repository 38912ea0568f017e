/**
 * Telegram with one bot, as the exchange meets it: the Bot API checks what it is sent as Telegram does, people tap and
 * write, and the bot's webhook is told of it with its secret. A call in the webhook's answer is carried out. Web requests
 * in and out, so it runs in any runtime; `telegram-server.ts` puts it on a port.
 */
import { type Fault, Faults } from "./faults.ts";
import { type Keyboard, type TelegramBody, textFault } from "./telegram-methods.ts";

export interface TelegramOptions {
  /** Its number is the bot's id. */
  readonly token?: string;
  readonly username?: string;
  /** How updates reach the webhook: `fetch` where nothing else is given. */
  readonly deliver?: (request: Request) => Promise<Response>;
  /** Where the Bot API is reached. */
  readonly api?: string;
  /** Chats in which the bot was started; in all others it may not write. */
  readonly chats?: readonly number[];
  /** Milliseconds before each further delivery of an update that was not taken. */
  readonly retries?: readonly number[];
}

export interface TelegramMessage {
  readonly chat: number;
  readonly id: number;
  text: string;
  keyboard: Keyboard;
  readonly replyTo?: number;
  /** What it has said, oldest first. */
  readonly versions: string[];
  deleted: boolean;
}

export interface TelegramCall {
  /** The same again is the same update. */
  readonly update?: number;
  /** Another secret than the webhook's; empty for none. */
  readonly secret?: string;
  /** Another webhook. */
  readonly hook?: string;
}

export interface TelegramFileIn {
  readonly kind: "photo" | "voice" | "audio" | "video" | "video_note" | "document";
  readonly bytes: Uint8Array;
  readonly name?: string;
  readonly type?: string;
  /** Bytes that Telegram says it has. */
  readonly size?: number;
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

/** Bytes of the largest file that bots are given. */
const MOST = 20 * 1024 * 1024;

export function telegram(options: TelegramOptions = {}) {
  const token = options.token ?? "700001:test-token-of-a-bot";
  const username = options.username ?? "household_bot";
  const bot = Number(token.split(":")[0]);
  const deliver = options.deliver ?? ((request: Request) => fetch(request));
  const place = { api: options.api ?? "https://api.telegram.org" };
  const chats = new Set(options.chats);
  const blocked = new Set<number>();
  const faults = new Faults();
  const messages: TelegramMessage[] = [];
  const answers: { tap: string; text: string; alert: boolean }[] = [];
  const reactions = new Map<number, string>();
  const unheard: string[] = [];
  const files = new Map<string, TelegramFileIn>();
  const webhook = { url: "", secret: "", updates: [] as readonly string[] };
  const state = { revoked: false, update: 100_000, message: 0, tap: 0 };

  const refuse = (code: number, description: string, parameters?: object): Response =>
    Response.json(
      { ok: false, error_code: code, description, ...(parameters ? { parameters } : {}) },
      { status: code },
    );
  const took = (result: unknown): Response => Response.json({ ok: true, result });

  const chatOf = (chat: number) => ({
    id: chat,
    type: chat < 0 ? "supergroup" : "private",
    ...(chat < 0 ? { title: "Family" } : { first_name: "Somebody" }),
  });

  const sent = (message: TelegramMessage) => ({
    message_id: message.id,
    date: Math.floor(Date.now() / 1_000),
    chat: chatOf(message.chat),
    from: { id: bot, is_bot: true, first_name: "Household" },
    text: message.text,
    reply_markup: { inline_keyboard: message.keyboard },
  });

  const methods: Record<string, (body: TelegramBody) => Response> = {
    getMe: () => took({ id: bot, is_bot: true, first_name: "Household", username }),
    setWebhook: ({ url = "", secret_token = "", allowed_updates = [] }) => {
      const local = /^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(url);
      if (!local && !url.startsWith("https://"))
        return refuse(400, "Bad Request: bad webhook: HTTPS url must be provided for webhook");
      if (!/^[\w-]{0,256}$/.test(secret_token))
        return refuse(400, "Bad Request: secret token contains unallowed characters");
      Object.assign(webhook, { url, secret: secret_token, updates: allowed_updates });
      return Response.json({ ok: true, result: true, description: "Webhook was set" });
    },
    sendMessage: (body) => {
      const chat = Number(body.chat_id);
      if (!chats.has(chat)) return refuse(400, "Bad Request: chat not found");
      if (blocked.has(chat)) return refuse(403, "Forbidden: bot was blocked by the user");
      const fault = textFault(body);
      if (fault !== undefined) return refuse(400, fault);
      const about = body.reply_parameters;
      const known = messages.some(
        (one) => one.chat === chat && one.id === about?.message_id && !one.deleted,
      );
      const own = about !== undefined && about.message_id <= state.message;
      if (about && !known && !own && about.allow_sending_without_reply !== true)
        return refuse(400, "Bad Request: message to be replied not found");
      const text = body.text ?? "";
      const message: TelegramMessage = {
        chat,
        id: ++state.message,
        text,
        keyboard: body.reply_markup?.inline_keyboard ?? [],
        versions: [text],
        ...(about && (known || own) ? { replyTo: about.message_id } : {}),
        deleted: false,
      };
      messages.push(message);
      return took(sent(message));
    },
    editMessageText: (body) => {
      const message = messages.find(
        (one) => one.chat === Number(body.chat_id) && one.id === body.message_id,
      );
      if (!message || message.deleted) return refuse(400, "Bad Request: message to edit not found");
      if (blocked.has(message.chat)) return refuse(403, "Forbidden: bot was blocked by the user");
      const fault = textFault(body);
      if (fault !== undefined) return refuse(400, fault);
      const keyboard = body.reply_markup?.inline_keyboard ?? [];
      if (
        message.text === body.text &&
        JSON.stringify(keyboard) === JSON.stringify(message.keyboard)
      )
        return refuse(
          400,
          "Bad Request: message is not modified: specified new message content and reply markup are exactly the same",
        );
      message.text = body.text ?? "";
      message.keyboard = keyboard;
      message.versions.push(message.text);
      return took(sent(message));
    },
    answerCallbackQuery: ({ callback_query_id = "", text = "", show_alert = false }) => {
      if (text.length > 200) return refuse(400, "Bad Request: MESSAGE_TOO_LONG");
      if (answers.some(({ tap }) => tap === callback_query_id))
        return refuse(400, "Bad Request: query is too old or query ID is invalid");
      answers.push({ tap: callback_query_id, text, alert: show_alert });
      return took(true);
    },
    setMessageReaction: ({ message_id = 0, reaction = [] }) => {
      const [first] = reaction;
      if (first) reactions.set(message_id, first.emoji);
      return took(true);
    },
    getFile: ({ file_id = "" }) => {
      const file = files.get(file_id);
      if (!file)
        return refuse(400, "Bad Request: wrong file_id or the file is temporarily unavailable");
      const size = file.size ?? file.bytes.byteLength;
      if (size > MOST) return refuse(400, "Bad Request: file is too big");
      const path = `${file.kind}s/${file_id}`;
      return took({ file_id, file_unique_id: file_id, file_size: size, file_path: path });
    },
  };

  /** What the exchange asks of the Bot API. */
  async function handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const fault = faults.take();
    if (fault?.status === 429)
      return refuse(429, `Too Many Requests: retry after ${fault.wait ?? 1}`, {
        retry_after: fault.wait ?? 1,
      });
    if (fault) return refuse(fault.status, "Internal Server Error");
    const [, stored, given, rest = ""] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(pathname) ?? [];
    if (given !== token || state.revoked) return refuse(401, "Unauthorized");
    if (stored !== undefined) {
      const file = files.get(rest.split("/").at(-1) ?? "");
      if (!file) return refuse(404, "Not Found");
      return new Response(file.bytes as Uint8Array<ArrayBuffer>, {
        headers: {
          "Content-Type": "application/octet-stream",
          "Content-Length": String(file.bytes.byteLength),
        },
      });
    }
    const method = methods[rest];
    if (!method) return refuse(404, "Not Found: method not found");
    return method((await request.json()) as TelegramBody);
  }

  /** One update to the webhook, and again where it is not taken. A call in the answer is carried out. */
  async function tell(
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
      return await tell(update, { ...call, update: body.update_id }, more);
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

  function kept(file: TelegramFileIn): object {
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

  const person = (chat: number, from = chat) => ({
    id: from,
    is_bot: false,
    first_name: "Somebody",
  });

  /** A person writes to the bot, or answers one of its messages. Resolves with the webhook's answer. */
  async function write(writing: TelegramWriting): Promise<Response & { message?: number }> {
    const { chat, text, file, location, venue, to, album, from, date } = writing;
    const about = to && messages.find((one) => one.chat === chat && one.id === to.id);
    const message_id = ++state.message;
    const response = await tell(
      {
        message: {
          message_id,
          date: date ?? Math.floor(Date.now() / 1_000),
          chat: chatOf(chat),
          from: person(chat, from),
          ...(text === undefined ? {} : { [file ? "caption" : "text"]: text }),
          ...(file ? kept(file) : {}),
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

  /** A person taps the button with this label. */
  async function tap(
    message: TelegramMessage,
    label: string,
    call: TelegramCall & { from?: number; data?: string } = {},
  ): Promise<Response> {
    const button = message.keyboard.flat().find((one) => one.text === label);
    const data = call.data ?? button?.callback_data;
    if (data === undefined) throw new Error(`the message has no button ${label}`);
    return await tell(
      {
        callback_query: {
          id: `tap-${call.update ?? ++state.tap}-${state.update}`,
          from: person(message.chat, call.from),
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
    bot,
    messages,
    answers,
    /** By the number of the message below which they stand. */
    reactions,
    /** Calls in answers that Telegram refused. */
    unheard,
    webhook,
    handle,
    movedTo: (api: string): void => {
      place.api = api;
    },
    /** `dispatch.telegram` of a household that uses it. */
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
      update: (of: object, call: TelegramCall = {}): Promise<Response> => tell(of, call, []),
      /** Somebody opens the chat with the bot, which may write there from now on. */
      start: async (chat: number, call: TelegramCall = {}): Promise<Response> => {
        chats.add(chat);
        blocked.delete(chat);
        return await write({ chat, text: "/start", ...call });
      },
      block: (chat: number): void => void blocked.add(chat),
      /** Its owner takes a new token from @BotFather. */
      revoke: (): void => {
        state.revoked = true;
      },
      remove: (message: TelegramMessage): void => {
        message.deleted = true;
      },
    },
  };
}
