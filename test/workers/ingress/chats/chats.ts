/** One interface for test households with Slack and with Telegram, the chats with buttons. */
import { defined } from "../../../../src/mess/defined.ts";
import type { SlackMessage } from "../../../support/channels/slack-workspace.ts";
import type { TelegramMessage } from "../../../support/channels/telegram-bot.ts";
import { listActions } from "../../../support/channels/telegram-methods.ts";
import { PNG } from "../../../support/media/png.ts";
import type { TestHousehold } from "../../support.ts";
import type { createChatHousehold } from "./chat-household.ts";
import { buildPhoto, createSlackHousehold } from "./slack-household.ts";
import { createTelegramHousehold } from "./telegram-household.ts";

export type Person = "ann" | "ben";

/** A message of the exchange in its current version in the chat. */
export interface Posted {
  text: () => string;
  /** The actions of its buttons, such as `claimed`; `respond` for the button that opens the page. */
  actions: () => (string | undefined)[];
  /** A copy of the message that later edits do not change, as on a phone without connection. */
  stale: () => Posted;
  tap: (action: string, who?: Person) => Promise<Response>;
  write: (text: string, how?: Writing) => Promise<Response>;
  /** The replies of the exchange to this message, oldest first. */
  below: () => Posted[];
}

export interface Writing {
  readonly who?: Person;
  readonly photo?: true;
  /** Identifies the event: another one with the same number is its repetition. */
  readonly event?: number;
  /** Number of earlier attempts, which only Slack reports. */
  readonly retry?: number;
}

type Shared = Omit<
  Awaited<ReturnType<typeof createChatHousehold>>,
  keyof TestHousehold | "askLook"
>;

export interface Chat extends TestHousehold, Shared {
  askLook: (intent: string, more?: object) => Promise<{ ref: string; message: Posted }>;
  /** The messages about requests in the person's direct conversation. */
  sentTo: (who: Person) => Posted[];
  /** A person writes to the bot without replying to a message. */
  write: (text: string, how?: Writing) => Promise<Response>;
  /** A shared room of the household: its address, a message of a person there, and the messages of the exchange. */
  room: {
    address: string | number;
    write: (text: string, who: Person) => Promise<Response>;
    posted: () => Posted[];
  };
  /** The receipts and refusals that only this person sees. */
  told: (who: Person) => string[];
  /** Number of messages of people with the reaction that confirms them. */
  signs: () => number;
  /** Makes the next requests for files fail with these statuses, one after the other. */
  fail: (...statuses: number[]) => void;
}

const SLACK = { ann: "U04ANN", ben: "U04BEN" } as const;
const SLACK_ROOM = "C04HOME";

async function createSlackChat(): Promise<Chat> {
  const { askLook, workspace, write: _, listSentTo, ...home } = await createSlackHousehold();
  const buildWriting = (text: string, { who = "ann", photo: with_, event, retry }: Writing) => ({
    user: SLACK[who],
    text,
    ...(with_ ? { files: [buildPhoto()] } : {}),
    ...(event === undefined ? {} : { event: `Ev${event}` }),
    ...defined({ retry }),
  });
  const toPosted = (message: SlackMessage): Posted => ({
    text: () => message.shown.join("\n"),
    actions: () =>
      message.blocks
        .filter(({ type }) => type === "actions")
        .flatMap(({ elements = [] }) => elements.map(({ action_id }) => action_id)),
    stale: () => toPosted({ ...message, blocks: structuredClone(message.blocks) }),
    tap: (action, who = "ann") => workspace.act.tap(message, action, { user: SLACK[who] }),
    write: (text, how = {}) => workspace.act.write({ ...buildWriting(text, how), to: message }),
    below: () =>
      workspace.messages
        .filter(({ thread_ts, only }) => thread_ts === message.ts && only === undefined)
        .map(toPosted),
  });
  return {
    ...home,
    askLook: async (intent, more) => {
      const { ref, message } = await askLook(intent, more);
      return { ref, message: toPosted(message) };
    },
    sentTo: (who) => listSentTo(SLACK[who]).map(toPosted),
    write: (text, how = {}) => workspace.act.write(buildWriting(text, how)),
    room: {
      address: SLACK_ROOM,
      write: (text, who) =>
        workspace.act.write({ ...buildWriting(text, { who }), channel: SLACK_ROOM }),
      posted: () =>
        workspace.messages.filter(({ channel }) => channel === SLACK_ROOM).map(toPosted),
    },
    told: (who) => workspace.toldOnly(SLACK[who]),
    signs: () => workspace.reactions.size,
    fail: (...statuses) => workspace.fail(...statuses.map((status) => ({ status }))),
  };
}

const TELEGRAM = { ann: 1_001, ben: 1_002 } as const;
const TELEGRAM_ROOM = -100_200;

async function createTelegramChat(): Promise<Chat> {
  const {
    askLook,
    server,
    write: _,
    listMessageActions: _actions,
    ...home
  } = await createTelegramHousehold();
  await server.act.start(TELEGRAM_ROOM);
  const buildWriting = (text: string, { photo: with_, event }: Writing) => ({
    text,
    ...(with_ ? { file: { kind: "photo" as const, bytes: PNG } } : {}),
    ...defined({ update: event }),
  });
  const toPosted = (message: TelegramMessage): Posted => ({
    text: () => message.text,
    actions: () => listActions(message.keyboard).flat(),
    stale: () => toPosted({ ...message, keyboard: message.keyboard }),
    tap: (action, who = "ann") => server.act.tap(message, action, { from: TELEGRAM[who] }),
    write: (text, how = {}) =>
      server.act.write({
        chat: message.chat,
        from: TELEGRAM[how.who ?? "ann"],
        ...buildWriting(text, how),
        to: message,
      }),
    below: () => server.messages.filter(({ replyTo }) => replyTo === message.id).map(toPosted),
  });
  const isOwn = (id: number): boolean => server.messages.some((message) => message.id === id);
  /** The replies of the exchange to a person's own message. */
  const listSentences = (who: Person): TelegramMessage[] =>
    server.inChat(TELEGRAM[who]).filter(({ replyTo }) => replyTo !== undefined && !isOwn(replyTo));
  return {
    ...home,
    askLook: async (intent, more) => {
      const { ref, message } = await askLook(intent, more);
      return { ref, message: toPosted(message) };
    },
    sentTo: (who) =>
      server
        .inChat(TELEGRAM[who])
        .filter((message) => !listSentences(who).includes(message))
        .map(toPosted),
    write: (text, how = {}) => {
      const chat = TELEGRAM[how.who ?? "ann"];
      return server.act.write({ chat, ...buildWriting(text, how) });
    },
    room: {
      address: TELEGRAM_ROOM,
      write: (text, who) =>
        server.act.write({ chat: TELEGRAM_ROOM, from: TELEGRAM[who], ...buildWriting(text, {}) }),
      posted: () => server.inChat(TELEGRAM_ROOM).map(toPosted),
    },
    told: (who) => [
      ...server.answers.filter(({ alert }) => alert).map(({ text }) => text),
      ...listSentences(who).map(({ text }) => text),
    ],
    signs: () => server.reactions.size,
    fail: (...statuses) => server.fail(...statuses.map((status) => ({ status }))),
  };
}

export const CHATS = { slack: createSlackChat, telegram: createTelegramChat } as const;
