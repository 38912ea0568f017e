/** Parses the updates of Telegram. Pure. Updates that are no action of a person yield undefined. */
import * as z from "zod";
import { defined } from "../../mess/defined.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ACTION_BY_BUTTON_CODE, writeTelegramHandle } from "./send.ts";
import type { ChatEvent, InboundEvent, ChatAction } from "../chat-event.ts";

/** The update types for which the webhook is registered. Edits and all others are not sent. */
export const UPDATE_TYPES = ["message", "callback_query"] as const;

/** Ids, usernames and button data have fewer than a hundred characters. */
const telegramId = boundedTextSchema(256);
/** A text that is too long is refused later, with a reply to its author. */
const messageText = boundedTextSchema(LIMITS.jsonTextChars);
/** The name of a file or of a place. */
const title = boundedTextSchema(LIMITS.keyChars);

const chatSchema = z.looseObject({
  id: z.int(),
  type: telegramId,
  username: telegramId.optional(),
});
const userSchema = z.looseObject({
  id: z.int(),
  is_bot: z.boolean().optional(),
  username: telegramId.optional(),
  first_name: title.optional(),
  last_name: title.optional(),
});
const fileSchema = z.looseObject({
  file_id: telegramId,
  file_size: z.number().optional(),
  file_name: title.optional(),
  mime_type: boundedTextSchema(LIMITS.mimeTypeChars).optional(),
});
const locationSchema = z.looseObject({ latitude: z.number(), longitude: z.number() });

const messageSchema = z.looseObject({
  message_id: z.int(),
  /** Seconds since 1970. */
  date: z.number(),
  chat: chatSchema,
  from: userSchema.optional(),
  text: messageText.optional(),
  caption: messageText.optional(),
  media_group_id: telegramId.optional(),
  /** A message of the bot includes its keyboard. */
  reply_to_message: z
    .looseObject({
      message_id: z.int(),
      from: userSchema.optional(),
      reply_markup: z
        .looseObject({
          inline_keyboard: z.array(
            z.array(z.looseObject({ callback_data: telegramId.optional() })),
          ),
        })
        .optional(),
    })
    .optional(),
  /** The same photo in several sizes. */
  photo: z.array(fileSchema).optional(),
  voice: fileSchema.optional(),
  audio: fileSchema.optional(),
  video: fileSchema.optional(),
  video_note: fileSchema.optional(),
  animation: fileSchema.optional(),
  document: fileSchema.optional(),
  sticker: z.looseObject({ emoji: telegramId.optional() }).optional(),
  location: locationSchema.optional(),
  venue: z.looseObject({ location: locationSchema, title }).optional(),
});
type TelegramMessage = z.output<typeof messageSchema>;

const updateSchema = z.looseObject({
  update_id: z.int(),
  message: messageSchema.optional(),
  callback_query: z
    .looseObject({
      id: telegramId,
      from: userSchema,
      /** The message with the button. Telegram leaves out its content if it is old. */
      message: z.looseObject({ message_id: z.int(), chat: chatSchema }).optional(),
      data: telegramId.optional(),
    })
    .optional(),
});

export interface TelegramFile {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
}

/** An action of a person, with the places for a reply. */
export interface TelegramEvent extends ChatEvent<TelegramFile> {
  readonly chat: number;
  /** The chat has only one person. */
  readonly isPrivate: boolean;
  /** Id of a tap, which must be answered. */
  readonly callbackQueryId?: string;
  /** The person who wrote the message. */
  readonly author?: { readonly id: number; readonly username?: string; readonly name?: string };
  /** Number of the message, and its time in seconds since 1970. */
  readonly message?: number;
  readonly date?: number;
  /** The person opened the chat with the bot. */
  readonly isStart?: true;
}

/** @param bot user id of the household's bot: in a group only replies to its messages count */
export function parseTelegramUpdate(payload: unknown, bot: number): TelegramEvent | undefined {
  const read = updateSchema.safeParse(payload);
  if (!read.success) return undefined;
  const { update_id, message: received, callback_query: tap } = read.data;
  if (received) return parseMessage(String(update_id), received, bot);
  if (!tap?.message) return undefined;
  const { message_id, chat: where } = tap.message;
  const tapped = readButtonData(tap.data);
  return {
    identities: getIdentities(where),
    chat: where.id,
    isPrivate: where.type === "private",
    files: [],
    callbackQueryId: tap.id,
    inbound: {
      channel: "telegram",
      id: String(update_id),
      ...getPersonIdentities(where, tap.from),
      // Unknown data is from an old or a forged keyboard, and has no action.
      action: tapped?.action ?? "message",
      handle: writeTelegramHandle(where.id, message_id),
      ...toRefField(tapped?.ref),
    },
  };
}

/** Reads the data of a button. The ref is empty if it was too long for the button. */
function readButtonData(data: string | undefined): { action: ChatAction; ref: string } | undefined {
  const [, key, ref = ""] = /^([cdfx]):(.*)$/s.exec(data ?? "") ?? [];
  return key === undefined
    ? undefined
    : { action: ACTION_BY_BUTTON_CODE[key as keyof typeof ACTION_BY_BUTTON_CODE], ref };
}

const toRefField = (ref: string | undefined): { ref?: string } =>
  ref === undefined || ref === "" ? {} : { ref };

/** The ref of the bot's message, as long as it has buttons. */
const findRefInKeyboard = (about: TelegramMessage["reply_to_message"]): string | undefined =>
  about?.reply_markup?.inline_keyboard
    .flat()
    .flatMap(({ callback_data }) => readButtonData(callback_data)?.ref ?? [])
    .at(0);

function parseMessage(
  id: string,
  received: TelegramMessage,
  bot: number,
): TelegramEvent | undefined {
  const { chat: where, message_id, reply_to_message: about, media_group_id, date } = received;
  const isPrivate = where.type === "private";
  if (received.from?.is_bot === true || (!isPrivate && about?.from?.id !== bot)) return undefined;
  const location = received.venue?.location ?? received.location;
  const text = received.text ?? received.caption ?? received.sticker?.emoji;
  return {
    identities: getIdentities(where),
    chat: where.id,
    isPrivate,
    files: collectFiles(received),
    message: message_id,
    date,
    ...(received.from ? { author: toAuthor(received.from) } : {}),
    ...(/^\/start\b/.test(text ?? "") ? { isStart: true as const } : {}),
    inbound: {
      channel: "telegram",
      id,
      ...getPersonIdentities(where, received.from),
      action: "message",
      ...(text === undefined ? {} : { text: stripCommand(text) }),
      ...(media_group_id === undefined ? {} : { group: `album:${media_group_id}` }),
      ...(about === undefined ? {} : { handle: writeTelegramHandle(where.id, about.message_id) }),
      ...(about?.from?.id === bot ? toRefField(findRefInKeyboard(about)) : {}),
      ...(location === undefined
        ? {}
        : {
            location: {
              latitude: location.latitude,
              longitude: location.longitude,
              ...(received.venue ? { name: received.venue.title } : {}),
            },
          }),
    },
  };
}

function toAuthor({ id, username, first_name, last_name }: z.output<typeof userSchema>) {
  const name = [first_name, last_name].filter((part) => part !== undefined).join(" ");
  return { id, ...defined({ username, name: name === "" ? undefined : name }) };
}

/** Identifies the person in a group. A private chat belongs to one person. */
const getPersonIdentities = (
  { type }: z.output<typeof chatSchema>,
  from: z.output<typeof userSchema> | undefined,
): Pick<InboundEvent, "personIdentities"> =>
  type === "private" ? {} : { personIdentities: from ? getIdentities(from) : [] };

const getIdentities = ({
  id,
  username,
}: {
  id: number;
  username?: string | undefined;
}): string[] => [String(id), ...(username === undefined ? [] : [`@${username}`])];

/** Turns a command such as `/done@household_bot` into `done`. */
const stripCommand = (text: string): string => text.replace(/^\/(\w+)(@\w+)?$/, "$1");

/** The files of one message. Photos come in several sizes; the largest is used. */
const collectFiles = (received: TelegramMessage): TelegramFile[] => [
  ...toFiles(
    received.photo?.toSorted((a, b) => (a.file_size ?? 0) - (b.file_size ?? 0)).at(-1),
    "photo.jpg",
    "image/jpeg",
  ),
  ...toFiles(received.voice, "voice.ogg", "audio/ogg"),
  ...toFiles(received.audio, "audio.mp3", "audio/mpeg"),
  ...toFiles(received.video ?? received.video_note, "video.mp4", "video/mp4"),
  // Telegram sends an animation also as a document.
  ...toFiles(received.animation ?? received.document, "file", "application/octet-stream"),
];

const toFiles = (
  one: z.output<typeof fileSchema> | undefined,
  name: string,
  mime: string,
): TelegramFile[] =>
  one ? [{ id: one.file_id, name: one.file_name ?? name, mime: one.mime_type ?? mime }] : [];
