/** Parses the events of Slack. Pure. Events that are no action of a person yield undefined. */
import { defined } from "../../mess/defined.ts";
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { writeSlackHandle } from "./send.ts";
import type { ChatEvent, InboundEvent, ChatAction } from "../chat-event.ts";

/** Ids and timestamps of Slack have fewer than a hundred characters. */
const slackId = boundedTextSchema(256);
/** A text that is too long is refused later, with a reply to its author. */
const messageText = boundedTextSchema(LIMITS.jsonTextChars);
const fileName = boundedTextSchema(LIMITS.keyChars);

const fileSchema = z.looseObject({
  id: slackId,
  name: fileName.nullish(),
  mimetype: boundedTextSchema(LIMITS.mimeTypeChars).nullish(),
  size: z.number().optional(),
  url_private_download: boundedTextSchema(LIMITS.linkChars).optional(),
  url_private: boundedTextSchema(LIMITS.linkChars).optional(),
});
export type SlackFile = z.output<typeof fileSchema>;

const messageSchema = z.looseObject({
  type: z.literal("message"),
  subtype: z.enum(["file_share", "thread_broadcast"]).optional(),
  user: slackId,
  bot_id: z.null().optional(),
  channel: slackId,
  ts: slackId,
  text: messageText.default(""),
  thread_ts: slackId.optional(),
  parent_user_id: slackId.optional(),
  files: z.array(fileSchema).default([]),
});

const callbackSchema = z.looseObject({
  type: z.literal("event_callback"),
  event_id: slackId,
  event: messageSchema,
  authorizations: z.array(z.looseObject({ user_id: slackId })).default([]),
});

const tapSchema = z.looseObject({
  type: z.literal("block_actions"),
  user: z.looseObject({ id: slackId }),
  container: z.looseObject({ channel_id: slackId, message_ts: slackId }),
  actions: z
    .array(
      z.looseObject({
        action_id: slackId,
        action_ts: slackId,
        value: slackId.optional(),
      }),
    )
    .min(1),
  response_url: boundedTextSchema(LIMITS.linkChars).optional(),
});

/** An action of a person, with the places for a reply. */
export interface SlackEvent extends ChatEvent<SlackFile> {
  readonly user: string;
  readonly channel: string;
  /** The timestamps of the message, and of the message whose thread it is in. */
  readonly ts?: string;
  readonly thread?: string;
  readonly responseUrl?: string;
}

/** In a shared channel the event also identifies the person; in a direct message that is the channel's member. */
const isDirectMessage = (channel: string): boolean => channel.startsWith("D");
const getIdentities = (user: string, channel: string): string[] =>
  isDirectMessage(channel) ? [user, channel] : [channel];
const getPersonIdentities = (
  user: string,
  channel: string,
): Pick<InboundEvent, "personIdentities"> =>
  isDirectMessage(channel) ? {} : { personIdentities: [user] };

/** Parses a message of a person. In a shared channel only replies to the app's messages count. */
export function parseSlackEvent(payload: unknown): SlackEvent | undefined {
  const read = callbackSchema.safeParse(payload);
  if (!read.success) return undefined;
  const { event, event_id, authorizations } = read.data;
  const { user, channel, ts, text, thread_ts, parent_user_id, files } = event;
  const isOurMessage = authorizations.some(({ user_id }) => user_id === parent_user_id);
  if (authorizations.some(({ user_id }) => user_id === user)) return undefined;
  if (!isDirectMessage(channel) && (thread_ts === undefined || !isOurMessage)) return undefined;
  return {
    identities: getIdentities(user, channel),
    user,
    channel,
    files,
    ts,
    ...defined({ thread: thread_ts }),
    inbound: {
      channel: "slack",
      id: event_id,
      ...getPersonIdentities(user, channel),
      action: "message",
      text: toPlainText(text),
      ...(thread_ts === undefined ? {} : { handle: writeSlackHandle(channel, thread_ts) }),
      ...(isOurMessage ? { isOwnMessage: true as const } : {}),
    },
  };
}

const BUTTON_ACTIONS: readonly string[] = [
  "claimed",
  "declined",
  "completed",
  "cancel",
] satisfies ChatAction[];

/** Parses a tap on a button of the app. Its value names the household; a button of another household is ignored. */
export function parseSlackTap(payload: unknown, household: string): SlackEvent | undefined {
  const read = tapSchema.safeParse(payload);
  if (!read.success) return undefined;
  const { user, container, actions, response_url } = read.data;
  const [{ action_id, action_ts, value = "" }] = actions as [(typeof actions)[number]];
  const ref = value.startsWith(`${household}/`) ? value.slice(household.length + 1) : "";
  if (!BUTTON_ACTIONS.includes(action_id) || ref === "") return undefined;
  const { channel_id, message_ts } = container;
  return {
    identities: getIdentities(user.id, channel_id),
    user: user.id,
    channel: channel_id,
    files: [],
    ...defined({ responseUrl: response_url }),
    inbound: {
      channel: "slack",
      ...getPersonIdentities(user.id, channel_id),
      // Taps have no id. Two taps on one button never happen in the same microsecond.
      id: `tap:${user.id}:${action_ts}:${action_id}`,
      action: action_id as ChatAction,
      ref,
      handle: writeSlackHandle(channel_id, message_ts),
    },
  };
}

/** Slack sends emoji by name. */
const EMOJI_BY_NAME: Readonly<Record<string, string>> = {
  "+1": "👍",
  thumbsup: "👍",
  ok_hand: "👌",
  raising_hand: "🙋",
  white_check_mark: "✅",
  heavy_check_mark: "✔",
  ballot_box_with_check: "☑",
  "-1": "👎",
  thumbsdown: "👎",
  x: "❌",
  octagonal_sign: "🛑",
};

/** The text as it was typed: links and mentions in plain text, without Slack's escapes. */
export const toPlainText = (text: string): string =>
  text
    .replaceAll(/<([^<>|]*)(?:\|([^<>]*))?>/g, (_whole, target: string, label?: string) =>
      formatLink(target, label),
    )
    .replaceAll(/:skin-tone-\d:/g, "")
    .replaceAll(/:([\w+-]+):/g, (whole, name: string) =>
      Object.hasOwn(EMOJI_BY_NAME, name) ? EMOJI_BY_NAME[name]! : whole,
    )
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

function formatLink(target: string, label: string | undefined): string {
  const [, kind, name = ""] = /^([@#!])(?:subteam\^)?(.*)$/.exec(target) ?? [];
  if (kind !== undefined) return `${kind === "#" ? "#" : "@"}${(label ?? name).replace(/^@/, "")}`;
  const plain = target.replace(/^mailto:/, "");
  return label === undefined || plain.includes(label) ? plain : `${label} (${plain})`;
}
