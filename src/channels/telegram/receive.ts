/** What Telegram sends, read into what somebody did. Pure. Anything that is nobody's doing comes to nothing. */
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { ACTION_BY_BUTTON_CODE, writeTelegramHandle } from "./send.ts";
import type { ChatEvent, InboundEvent, ChatAction } from "../chat-event.ts";

/** What is asked for when the webhook is registered; edits and the rest stay with Telegram. */
export const UPDATE_TYPES = ["message", "callback_query"] as const;

/** Ids, usernames and the data of a button have some tens of characters. */
const telegramId = boundedTextSchema(256);
/** Too long a text is refused later, with words for the person who wrote it. */
const words = boundedTextSchema(LIMITS.jsonTextChars);
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
  text: words.optional(),
  caption: words.optional(),
  media_group_id: telegramId.optional(),
  /** Ours comes with the keyboard that we gave it. */
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
      /** As it was sent by us; `date` is 0 where it is too old to be shown. */
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

/** Somebody's doing, with where to answer them. */
export interface TelegramEvent extends ChatEvent<TelegramFile> {
  readonly chat: number;
  /** Only one person is in the chat. */
  readonly isPrivate: boolean;
  /** A button that waits for its answer. */
  readonly callbackQueryId?: string;
  /** What they wrote, and when, in seconds since 1970. */
  readonly message?: number;
  readonly date?: number;
  /** They open the chat with the bot. */
  readonly isStart?: true;
}

/** @param bot the id of the household's bot: in a group only what is a reply to it is meant for us */
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
      // Data of another form is of an old or a forged keyboard, and says nothing.
      action: tapped?.action ?? "message",
      handle: writeTelegramHandle(where.id, message_id),
      ...toRefField(tapped?.ref),
    },
  };
}

/** What a button of ours means; the ref is empty where it was too long for it. */
function readButtonData(data: string | undefined): { action: ChatAction; ref: string } | undefined {
  const [, key, ref = ""] = /^([cdfx]):(.*)$/s.exec(data ?? "") ?? [];
  return key === undefined
    ? undefined
    : { action: ACTION_BY_BUTTON_CODE[key as keyof typeof ACTION_BY_BUTTON_CODE], ref };
}

const toRefField = (ref: string | undefined): { ref?: string } =>
  ref === undefined || ref === "" ? {} : { ref };

/** The thread of one of our messages, while it has buttons. */
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

/** In a group that several share: who of them it was. A private chat is its person's. */
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

/** `/done@household_bot` is what somebody taps who means `done`. */
const stripCommand = (text: string): string => text.replace(/^\/(\w+)(@\w+)?$/, "$1");

/** The files of one message; a photo in its largest size. */
const collectFiles = (received: TelegramMessage): TelegramFile[] => [
  ...toFiles(
    received.photo?.toSorted((a, b) => (a.file_size ?? 0) - (b.file_size ?? 0)).at(-1),
    "photo.jpg",
    "image/jpeg",
  ),
  ...toFiles(received.voice, "voice.ogg", "audio/ogg"),
  ...toFiles(received.audio, "audio.mp3", "audio/mpeg"),
  ...toFiles(received.video ?? received.video_note, "video.mp4", "video/mp4"),
  // An animation comes as a document too.
  ...toFiles(received.animation ?? received.document, "file", "application/octet-stream"),
];

const toFiles = (
  one: z.output<typeof fileSchema> | undefined,
  name: string,
  mime: string,
): TelegramFile[] =>
  one ? [{ id: one.file_id, name: one.file_name ?? name, mime: one.mime_type ?? mime }] : [];
