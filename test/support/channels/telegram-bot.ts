/** A local Telegram Bot API: it checks calls as Telegram does, and applies them to its chats. */
import { defined } from "../../../src/mess/defined.ts";
import { FaultQueue } from "../fault-injection.ts";
import { type Keyboard, type TelegramBody, checkText } from "./telegram-methods.ts";

export interface BotOptions {
  /**
   * The number in the token is the bot's id. By default each bot has another token, so that it refuses the messages of
   * a household that another test left behind.
   */
  readonly token?: string;
  readonly username?: string;
  /** Chats in which the bot was started; it may write in no others. */
  readonly chats?: readonly number[];
}

export interface TelegramMessage {
  readonly chat: number;
  readonly id: number;
  text: string;
  keyboard: Keyboard;
  readonly replyTo?: number;
  /** The bot's texts, oldest first. */
  readonly versions: string[];
  deleted: boolean;
}

export interface TelegramFileIn {
  readonly kind: "photo" | "voice" | "audio" | "video" | "video_note" | "document";
  readonly bytes: Uint8Array;
  readonly name?: string;
  readonly type?: string;
  /** The file size that Telegram reports, in bytes. */
  readonly size?: number;
}

/** Bytes of the largest file that a bot may download. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

export function createTelegramBot(options: BotOptions) {
  const token = options.token ?? `700001:${crypto.randomUUID()}`;
  const username = options.username ?? "household_bot";
  const bot = Number(token.split(":")[0]);
  const chats = new Set(options.chats);
  const blocked = new Set<number>();
  const faults = new FaultQueue();
  const messages: TelegramMessage[] = [];
  const answers: { tap: string; text: string; alert: boolean }[] = [];
  const reactions = new Map<number, string>();
  const files = new Map<string, TelegramFileIn>();
  const webhook = { url: "", secret: "", updates: [] as readonly string[] };
  const state = { revoked: false, message: 0 };

  const refuse = (code: number, description: string, parameters?: object): Response =>
    Response.json(
      { ok: false, error_code: code, description, ...defined({ parameters }) },
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
      const fault = checkText(body);
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
      const fault = checkText(body);
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
      if (size > MAX_FILE_BYTES) return refuse(400, "Bad Request: file is too big");
      const path = `${file.kind}s/${file_id}`;
      return took({ file_id, file_unique_id: file_id, file_size: size, file_path: path });
    },
  };

  /** Handles a request of the exchange. */
  async function handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const [, stored, given, rest = ""] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(pathname) ?? [];
    if (given !== token || state.revoked) return refuse(401, "Unauthorized");
    const fault = faults.take();
    if (fault?.status === 429)
      return refuse(429, `Too Many Requests: retry after ${fault.wait ?? 1}`, {
        retry_after: fault.wait ?? 1,
      });
    if (fault) return refuse(fault.status, "Internal Server Error");
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

  return {
    token,
    bot,
    chats,
    blocked,
    faults,
    messages,
    /** Notices to the people who tapped. */
    answers,
    /** By the number of the parent message. */
    reactions,
    /** Files that people sent, by id. */
    files,
    webhook,
    /** Whether the token was revoked, and the number of the last message. */
    state,
    methods,
    chatOf,
    sent,
    handle,
  };
}
