/** Slack and Telegram in one form, for what holds in every chat with buttons. */
import type { SlackMessage } from "../../support/slack-workspace.ts";
import type { TelegramMessage } from "../../support/telegram-bot.ts";
import { listActions } from "../../support/telegram-methods.ts";
import { PNG } from "../../support/png.ts";
import type { TestHousehold } from "../support.ts";
import type { createChatHousehold } from "./chat-household.ts";
import { photo, createSlackHousehold } from "./slack-household.ts";
import { createTelegramHousehold } from "./telegram-household.ts";

export type Person = "ann" | "ben";

/** A message of the exchange, as it stands in the chat now. */
export interface Posted {
  text: () => string;
  /** What its buttons do: `claimed`, or `respond` for the one that opens the page. */
  actions: () => (string | undefined)[];
  /** The same message on a phone that shows no later edit. */
  stale: () => Posted;
  tap: (action: string, who?: Person) => Promise<Response>;
  write: (text: string, how?: Writing) => Promise<Response>;
  /** What came after it and refers to it, oldest first. */
  below: () => Posted[];
}

export interface Writing {
  readonly who?: Person;
  readonly photo?: true;
  /** The same number is the same event, sent again. */
  readonly event?: number;
  /** How often it was sent before, which only Slack tells. */
  readonly retry?: number;
}

type Shared = Omit<
  Awaited<ReturnType<typeof createChatHousehold>>,
  keyof TestHousehold | "askLook"
>;

export interface Chat extends TestHousehold, Shared {
  askLook: (intent: string, more?: object) => Promise<{ ref: string; message: Posted }>;
  /** What the exchange has sent to a person's own conversation about requests. */
  sentTo: (who: Person) => Posted[];
  /** What a person writes to the bot without answering a message. */
  write: (text: string, how?: Writing) => Promise<Response>;
  /** A room of the household: its address, what is written there below no message, and what was posted there. */
  room: {
    address: string | number;
    write: (text: string, who: Person) => Promise<Response>;
    posted: () => Posted[];
  };
  /** Refusals and hints that only this person was shown. */
  told: (who: Person) => string[];
  /** How many messages of people carry the sign that they were taken. */
  signs: () => number;
  /** Requests for files fail from the next one on, as often as there are statuses. */
  fail: (...statuses: number[]) => void;
}

const SLACK = { ann: "U04ANN", ben: "U04BEN" } as const;
const SLACK_ROOM = "C04HOME";

async function slackChat(): Promise<Chat> {
  const { askLook, workspace, write: _, sentTo, ...home } = await createSlackHousehold();
  const written = (text: string, { who = "ann", photo: with_, event, retry }: Writing) => ({
    user: SLACK[who],
    text,
    ...(with_ ? { files: [photo()] } : {}),
    ...(event === undefined ? {} : { event: `Ev${event}` }),
    ...(retry === undefined ? {} : { retry }),
  });
  const posted = (message: SlackMessage): Posted => ({
    text: () => message.shown.join("\n"),
    actions: () =>
      message.blocks
        .filter(({ type }) => type === "actions")
        .flatMap(({ elements = [] }) => elements.map(({ action_id }) => action_id)),
    stale: () => posted({ ...message, blocks: structuredClone(message.blocks) }),
    tap: (action, who = "ann") => workspace.act.tap(message, action, { user: SLACK[who] }),
    write: (text, how = {}) => workspace.act.write({ ...written(text, how), to: message }),
    below: () =>
      workspace.messages
        .filter(({ thread_ts, only }) => thread_ts === message.ts && only === undefined)
        .map(posted),
  });
  return {
    ...home,
    askLook: async (intent, more) => {
      const { ref, message } = await askLook(intent, more);
      return { ref, message: posted(message) };
    },
    sentTo: (who) => sentTo(SLACK[who]).map(posted),
    write: (text, how = {}) => workspace.act.write(written(text, how)),
    room: {
      address: SLACK_ROOM,
      write: (text, who) => workspace.act.write({ ...written(text, { who }), channel: SLACK_ROOM }),
      posted: () => workspace.messages.filter(({ channel }) => channel === SLACK_ROOM).map(posted),
    },
    told: (who) => workspace.toldOnly(SLACK[who]),
    signs: () => workspace.reactions.size,
    fail: (...statuses) => workspace.fail(...statuses.map((status) => ({ status }))),
  };
}

const TELEGRAM = { ann: 1_001, ben: 1_002 } as const;
const TELEGRAM_ROOM = -100_200;

async function telegramChat(): Promise<Chat> {
  const { askLook, server, write: _, actions: _actions, ...home } = await createTelegramHousehold();
  await server.act.start(TELEGRAM_ROOM);
  const written = (text: string, { photo: with_, event }: Writing) => ({
    text,
    ...(with_ ? { file: { kind: "photo" as const, bytes: PNG } } : {}),
    ...(event === undefined ? {} : { update: event }),
  });
  const posted = (message: TelegramMessage): Posted => ({
    text: () => message.text,
    actions: () => listActions(message.keyboard).flat(),
    stale: () => posted({ ...message, keyboard: message.keyboard }),
    tap: (action, who = "ann") => server.act.tap(message, action, { from: TELEGRAM[who] }),
    write: (text, how = {}) =>
      server.act.write({
        chat: message.chat,
        from: TELEGRAM[how.who ?? "ann"],
        ...written(text, how),
        to: message,
      }),
    below: () => server.messages.filter(({ replyTo }) => replyTo === message.id).map(posted),
  });
  const isOwn = (id: number): boolean => server.messages.some((message) => message.id === id);
  /** Sentences answer what a person wrote; all else is about a request. */
  const sentences = (who: Person): TelegramMessage[] =>
    server.inChat(TELEGRAM[who]).filter(({ replyTo }) => replyTo !== undefined && !isOwn(replyTo));
  return {
    ...home,
    askLook: async (intent, more) => {
      const { ref, message } = await askLook(intent, more);
      return { ref, message: posted(message) };
    },
    sentTo: (who) =>
      server
        .inChat(TELEGRAM[who])
        .filter((message) => !sentences(who).includes(message))
        .map(posted),
    write: (text, how = {}) => {
      const chat = TELEGRAM[how.who ?? "ann"];
      return server.act.write({ chat, ...written(text, how) });
    },
    room: {
      address: TELEGRAM_ROOM,
      write: (text, who) =>
        server.act.write({ chat: TELEGRAM_ROOM, from: TELEGRAM[who], ...written(text, {}) }),
      posted: () => server.inChat(TELEGRAM_ROOM).map(posted),
    },
    told: (who) => [
      ...server.answers.filter(({ alert }) => alert).map(({ text }) => text),
      ...sentences(who).map(({ text }) => text),
    ],
    signs: () => server.reactions.size,
    fail: (...statuses) => server.fail(...statuses.map((status) => ({ status }))),
  };
}

export const CHATS = { slack: slackChat, telegram: telegramChat } as const;
