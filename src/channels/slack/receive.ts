/** What Slack sends, read into what somebody did. Pure. Anything that is nobody's doing comes to nothing. */
import * as z from "zod";
import { boundedText } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import { slackHandle } from "./send.ts";
import type { ChatDeed, Inbound, InboundAct } from "../chat-event.ts";

/** Ids and timestamps of Slack have some tens of characters. */
const slackId = boundedText(256);
/** Too long a text is refused later, with words for the person who wrote it. */
const words = boundedText(LIMITS.jsonTextChars);
const fileName = boundedText(LIMITS.keyChars);

const file = z.looseObject({
  id: slackId,
  name: fileName.nullish(),
  mimetype: boundedText(LIMITS.mimeTypeChars).nullish(),
  size: z.number().optional(),
  url_private_download: boundedText(LIMITS.linkChars).optional(),
  url_private: boundedText(LIMITS.linkChars).optional(),
});
export type SlackFile = z.output<typeof file>;

const message = z.looseObject({
  type: z.literal("message"),
  subtype: z.enum(["file_share", "thread_broadcast"]).optional(),
  user: slackId,
  bot_id: z.null().optional(),
  channel: slackId,
  ts: slackId,
  text: words.default(""),
  thread_ts: slackId.optional(),
  parent_user_id: slackId.optional(),
  files: z.array(file).default([]),
});

const callback = z.looseObject({
  type: z.literal("event_callback"),
  event_id: slackId,
  event: message,
  authorizations: z.array(z.looseObject({ user_id: slackId })).default([]),
});

const tap = z.looseObject({
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
  response_url: boundedText(LIMITS.linkChars).optional(),
});

/** Somebody's doing, with where to answer them. */
export interface SlackDeed extends ChatDeed<SlackFile> {
  readonly user: string;
  readonly channel: string;
  /** Their message, and the one below which it stands. */
  readonly ts?: string;
  readonly thread?: string;
  readonly responseUrl?: string;
}

/** In a direct message a person speaks; elsewhere it is told who it was of those who share the channel. */
const isDirect = (channel: string): boolean => channel.startsWith("D");
const namesOf = (user: string, channel: string): string[] =>
  isDirect(channel) ? [user, channel] : [channel];
const personIn = (user: string, channel: string): Pick<Inbound, "by"> =>
  isDirect(channel) ? {} : { by: [user] };

/** A message of a person. In a channel only what stands below a message of ours is meant for us. */
export function deedOfEvent(payload: unknown): SlackDeed | undefined {
  const read = callback.safeParse(payload);
  if (!read.success) return undefined;
  const { event, event_id, authorizations } = read.data;
  const { user, channel, ts, text, thread_ts, parent_user_id, files } = event;
  const ours = authorizations.some(({ user_id }) => user_id === parent_user_id);
  if (authorizations.some(({ user_id }) => user_id === user)) return undefined;
  if (!isDirect(channel) && (thread_ts === undefined || !ours)) return undefined;
  return {
    names: namesOf(user, channel),
    user,
    channel,
    files,
    ts,
    ...(thread_ts === undefined ? {} : { thread: thread_ts }),
    inbound: {
      channel: "slack",
      id: event_id,
      ...personIn(user, channel),
      act: "say",
      text: plainText(text),
      ...(thread_ts === undefined ? {} : { handle: slackHandle(channel, thread_ts) }),
      ...(ours ? { exact: true as const } : {}),
    },
  };
}

const ACTS: readonly string[] = [
  "claimed",
  "declined",
  "completed",
  "cancel",
] satisfies InboundAct[];

/** A button of ours. Its value names the household: that of another is nobody's doing here. */
export function deedOfTap(payload: unknown, household: string): SlackDeed | undefined {
  const read = tap.safeParse(payload);
  if (!read.success) return undefined;
  const { user, container, actions, response_url } = read.data;
  const [{ action_id, action_ts, value = "" }] = actions as [(typeof actions)[number]];
  const ref = value.startsWith(`${household}/`) ? value.slice(household.length + 1) : "";
  if (!ACTS.includes(action_id) || ref === "") return undefined;
  const { channel_id, message_ts } = container;
  return {
    names: namesOf(user.id, channel_id),
    user: user.id,
    channel: channel_id,
    files: [],
    ...(response_url === undefined ? {} : { responseUrl: response_url }),
    inbound: {
      channel: "slack",
      ...personIn(user.id, channel_id),
      // Taps have no id of their own; nobody taps the same button twice in the same microsecond.
      id: `tap:${user.id}:${action_ts}:${action_id}`,
      act: action_id as InboundAct,
      ref,
      handle: slackHandle(channel_id, message_ts),
    },
  };
}

/** What people type as signs, Slack sends as names. */
const SIGNS: Readonly<Record<string, string>> = {
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

/** The words as they were typed: links and mentions in plain text, Slack's escapes undone. */
export const plainText = (text: string): string =>
  text
    .replaceAll(/<([^<>|]*)(?:\|([^<>]*))?>/g, (_whole, target: string, label?: string) =>
      linkText(target, label),
    )
    .replaceAll(/:skin-tone-\d:/g, "")
    .replaceAll(/:([\w+-]+):/g, (whole, name: string) =>
      Object.hasOwn(SIGNS, name) ? SIGNS[name]! : whole,
    )
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

function linkText(target: string, label: string | undefined): string {
  const [, kind, name = ""] = /^([@#!])(?:subteam\^)?(.*)$/.exec(target) ?? [];
  if (kind !== undefined) return `${kind === "#" ? "#" : "@"}${(label ?? name).replace(/^@/, "")}`;
  const plain = target.replace(/^mailto:/, "");
  return label === undefined || plain.includes(label) ? plain : `${label} (${plain})`;
}
