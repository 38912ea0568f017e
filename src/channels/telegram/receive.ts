/** What Telegram sends, read into what somebody did. Pure. Anything that is nobody's doing comes to nothing. */
import * as z from "zod";
import { boundedText } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { TAPS, telegramHandle } from "./send.ts";
import type { ChatDeed, Inbound, InboundAct } from "../chat-event.ts";

/** What is asked for when the webhook is registered; edits and the rest stay with Telegram. */
export const UPDATES = ["message", "callback_query"] as const;

/** Ids, usernames and the data of a button have some tens of characters. */
const telegramId = boundedText(256);
/** Too long a text is refused later, with words for the person who wrote it. */
const words = boundedText(LIMITS.jsonTextChars);
/** The name of a file or of a place. */
const title = boundedText(LIMITS.keyChars);

const chat = z.looseObject({
  id: z.int(),
  type: telegramId,
  username: telegramId.optional(),
});
const user = z.looseObject({
  id: z.int(),
  is_bot: z.boolean().optional(),
  username: telegramId.optional(),
});
const stored = z.looseObject({
  file_id: telegramId,
  file_size: z.number().optional(),
  file_name: title.optional(),
  mime_type: boundedText(LIMITS.mimeTypeChars).optional(),
});
const place = z.looseObject({ latitude: z.number(), longitude: z.number() });

const message = z.looseObject({
  message_id: z.int(),
  /** Seconds since 1970. */
  date: z.number(),
  chat,
  from: user.optional(),
  text: words.optional(),
  caption: words.optional(),
  media_group_id: telegramId.optional(),
  /** Ours comes with the keyboard that we gave it. */
  reply_to_message: z
    .looseObject({
      message_id: z.int(),
      from: user.optional(),
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
  photo: z.array(stored).optional(),
  voice: stored.optional(),
  audio: stored.optional(),
  video: stored.optional(),
  video_note: stored.optional(),
  animation: stored.optional(),
  document: stored.optional(),
  sticker: z.looseObject({ emoji: telegramId.optional() }).optional(),
  location: place.optional(),
  venue: z.looseObject({ location: place, title }).optional(),
});
type Message = z.output<typeof message>;

const update = z.looseObject({
  update_id: z.int(),
  message: message.optional(),
  callback_query: z
    .looseObject({
      id: telegramId,
      from: user,
      /** As it was sent by us; `date` is 0 where it is too old to be shown. */
      message: z.looseObject({ message_id: z.int(), chat }).optional(),
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
export interface TelegramDeed extends ChatDeed<TelegramFile> {
  readonly chat: number;
  /** Only one person is in the chat. */
  readonly alone: boolean;
  /** A button that waits for its answer. */
  readonly tap?: string;
  /** What they wrote, and when, in seconds since 1970. */
  readonly message?: number;
  readonly date?: number;
  /** They open the chat with the bot. */
  readonly starts?: true;
}

/** @param bot the id of the household's bot: in a group only what is a reply to it is meant for us */
export function deedOfUpdate(payload: unknown, bot: number): TelegramDeed | undefined {
  const read = update.safeParse(payload);
  if (!read.success) return undefined;
  const { update_id, message: said, callback_query: tap } = read.data;
  if (said) return deedOfMessage(String(update_id), said, bot);
  if (!tap?.message) return undefined;
  const { message_id, chat: where } = tap.message;
  const tapped = readTap(tap.data);
  return {
    names: namesOf(where),
    chat: where.id,
    alone: where.type === "private",
    files: [],
    tap: tap.id,
    inbound: {
      channel: "telegram",
      id: String(update_id),
      ...personIn(where, tap.from),
      // Data of another form is of an old or a forged keyboard, and says nothing.
      act: tapped?.act ?? "say",
      handle: telegramHandle(where.id, message_id),
      ...refOf(tapped?.ref),
    },
  };
}

/** What a button of ours means; the ref is empty where it was too long for it. */
function readTap(data: string | undefined): { act: InboundAct; ref: string } | undefined {
  const [, key, ref = ""] = /^([cdfx]):(.*)$/s.exec(data ?? "") ?? [];
  return key === undefined ? undefined : { act: TAPS[key as keyof typeof TAPS], ref };
}

const refOf = (ref: string | undefined): { ref?: string } =>
  ref === undefined || ref === "" ? {} : { ref };

/** The thread of one of our messages, while it has buttons. */
const refInKeyboard = (about: Message["reply_to_message"]): string | undefined =>
  about?.reply_markup?.inline_keyboard
    .flat()
    .flatMap(({ callback_data }) => readTap(callback_data)?.ref ?? [])
    .at(0);

function deedOfMessage(id: string, said: Message, bot: number): TelegramDeed | undefined {
  const { chat: where, message_id, reply_to_message: about, media_group_id, date } = said;
  const alone = where.type === "private";
  if (said.from?.is_bot === true || (!alone && about?.from?.id !== bot)) return undefined;
  const spot = said.venue?.location ?? said.location;
  const text = said.text ?? said.caption ?? said.sticker?.emoji;
  return {
    names: namesOf(where),
    chat: where.id,
    alone,
    files: filesOf(said),
    message: message_id,
    date,
    ...(/^\/start\b/.test(text ?? "") ? { starts: true as const } : {}),
    inbound: {
      channel: "telegram",
      id,
      ...personIn(where, said.from),
      act: "say",
      ...(text === undefined ? {} : { text: plainCommand(text) }),
      ...(media_group_id === undefined ? {} : { group: `album:${media_group_id}` }),
      ...(about === undefined ? {} : { handle: telegramHandle(where.id, about.message_id) }),
      ...(about?.from?.id === bot ? refOf(refInKeyboard(about)) : {}),
      ...(spot === undefined
        ? {}
        : {
            place: {
              latitude: spot.latitude,
              longitude: spot.longitude,
              ...(said.venue ? { name: said.venue.title } : {}),
            },
          }),
    },
  };
}

/** In a group that several share: who of them it was. A private chat is its person's. */
const personIn = (
  { type }: z.output<typeof chat>,
  from: z.output<typeof user> | undefined,
): Pick<Inbound, "by"> => (type === "private" ? {} : { by: from ? namesOf(from) : [] });

const namesOf = ({ id, username }: { id: number; username?: string | undefined }): string[] => [
  String(id),
  ...(username === undefined ? [] : [`@${username}`]),
];

/** `/done@household_bot` is what somebody taps who means `done`. */
const plainCommand = (text: string): string => text.replace(/^\/(\w+)(@\w+)?$/, "$1");

/** The files of one message; a photo in its largest size. */
const filesOf = (said: Message): TelegramFile[] => [
  ...fileOf(
    said.photo?.toSorted((a, b) => (a.file_size ?? 0) - (b.file_size ?? 0)).at(-1),
    "photo.jpg",
    "image/jpeg",
  ),
  ...fileOf(said.voice, "voice.ogg", "audio/ogg"),
  ...fileOf(said.audio, "audio.mp3", "audio/mpeg"),
  ...fileOf(said.video ?? said.video_note, "video.mp4", "video/mp4"),
  // An animation comes as a document too.
  ...fileOf(said.animation ?? said.document, "file", "application/octet-stream"),
];

const fileOf = (
  one: z.output<typeof stored> | undefined,
  name: string,
  mime: string,
): TelegramFile[] =>
  one ? [{ id: one.file_id, name: one.file_name ?? name, mime: one.mime_type ?? mime }] : [];
