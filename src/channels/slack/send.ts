/**
 * Sends to Slack by the household's app: one message with buttons for each request, edited when the thread changes,
 * with updates in its Slack thread. Replies are received by `ingress/webhooks/slack.ts`. Text of agents is plain text:
 * it must not mention members, format the message or load a preview.
 */
import { defined } from "../../mess/defined.ts";
import type { Channel, Notice, SendContext, SendResult } from "../channel.ts";
import {
  type Button,
  buildButtons,
  needsPageLink,
  buildLines,
  isFixedMessage,
} from "../shared/buttons.ts";
import {
  parseJsonMap,
  toRefusedFailure,
  toUnsentFailure,
  clampWaitSeconds,
} from "../shared/send-failures.ts";
import { buildHeadline } from "../shared/notice-text.ts";
import { slackConfig, type SlackSettings } from "./config.ts";
import { stripEnd } from "../../mess/strip.ts";

export const SLACK_API = "https://slack.com/api";
/** `action_id` of the button that opens the page. The other buttons have their action as id. */
export const OPEN_PAGE_ACTION = "respond";

/** Characters of a section's text (Block Kit). */
const MAX_SECTION_CHARS = 3_000;
/** Elements of a context block. */
const MAX_CONTEXT_ELEMENTS = 10;

/** Errors after which nothing will be accepted: the app or the recipient is gone. */
const PERMANENT_ERRORS: readonly unknown[] = [
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "channel_not_found",
  "user_not_found",
  "user_disabled",
  "cannot_dm_bot",
  "is_archived",
  "not_in_channel",
];

/** The message was deleted or can no longer be edited, so the edit is not needed. */
const UNEDITABLE_ERRORS: readonly unknown[] = [
  "message_not_found",
  "cant_update_message",
  "edit_window_closed",
];

export const slack: Channel<SlackSettings, string> = {
  ...slackConfig,
  features: { edits: true, updates: false, buttons: true, maxCharacters: MAX_SECTION_CHARS },
  send: async (sender, address, notice) => {
    const parent = notice.kind === "news" ? readSlackHandle(notice.threadHandle) : undefined;
    return await callSlackApi(sender, "chat.postMessage", {
      channel: parent?.channel ?? address,
      ...defined({ thread_ts: parent?.ts }),
      ...buildContent(notice, sender.settings.signing_secret !== undefined),
      ...PLAIN_TEXT_OPTIONS,
      unfurl_links: false,
      unfurl_media: false,
    });
  },
  update: async (sender, _address, handle, notice) => {
    const message = readSlackHandle(handle);
    if (message === undefined || isFixedMessage(notice)) return { ok: true, handle };
    return await callSlackApi(sender, "chat.update", {
      ...message,
      ...buildContent(notice, sender.settings.signing_secret !== undefined),
      ...PLAIN_TEXT_OPTIONS,
    });
  },
};

/** Slack must not turn names and links in the text into markup. */
export const PLAIN_TEXT_OPTIONS = { parse: "none", link_names: false };

/** Reads a handle such as `C0123:1712.0001`: the conversation and the timestamp of the message. */
export function readSlackHandle(
  handle: string | undefined,
): { channel: string; ts: string } | undefined {
  const [, channel, ts] = /^([A-Z0-9]+):(\d+\.\d+)$/.exec(handle ?? "") ?? [];
  return channel === undefined || ts === undefined ? undefined : { channel, ts };
}

export const writeSlackHandle = (channel: string, ts: string): string => `${channel}:${ts}`;

export async function callSlackApi(
  {
    settings: { bot_token, api = SLACK_API },
    egress,
    now,
  }: Omit<SendContext<SlackSettings>, "env">,
  method: "chat.postMessage" | "chat.update",
  body: object,
): Promise<SendResult> {
  const response = await egress.send(`${stripEnd(api, "/")}/${method}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${bot_token}`,
      "Content-Type": "application/json; charset=utf-8",
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) return toUnsentFailure(response.error);
  const { status, text } = response.value;
  const { ok: isAccepted, error, channel, ts } = parseJsonMap(text);
  if (status === 200 && isAccepted === true)
    return typeof channel === "string" && typeof ts === "string"
      ? { ok: true, handle: writeSlackHandle(channel, ts) }
      : { ok: true };
  if (method === "chat.update" && UNEDITABLE_ERRORS.includes(error)) return { ok: true };
  // Slack refuses with status 200 and an error code in the body.
  const failed = toRefusedFailure("Slack", response.value, now, PERMANENT_ERRORS.includes(error));
  const limited = status === 429 || error === "ratelimited" || error === "rate_limited";
  return {
    ...failed,
    ...(limited && failed.retryAfterSeconds === undefined
      ? { retryAfterSeconds: clampWaitSeconds(30) }
      : {}),
    reason:
      typeof error === "string" && /^\w{1,60}$/.test(error)
        ? `Slack refused it: ${error}`
        : failed.reason,
  };
}

/**
 * The message as blocks, and as plain text for the notification of a phone.
 * @param hasButtons false where the exchange cannot verify taps: a link takes the place of the buttons
 */
function buildContent(notice: Notice, hasButtons: boolean): object {
  const title = toPlainTextObject(buildHeadline(notice));
  const lines = buildLines(notice);
  // An owner approves only what was shown.
  const shown = notice.decision ? lines : lines.slice(0, MAX_CONTEXT_ELEMENTS);
  const buttons = hasButtons ? buildElements(notice) : [];
  const link = hasButtons ? undefined : notice.link;
  return {
    text: title.text,
    blocks: [
      { type: "section", text: title },
      ...listContextBlocks(shown),
      ...(buttons.length > 0 ? [{ type: "actions", elements: buttons }] : []),
      ...(link
        ? [{ type: "section", text: { type: "mrkdwn", text: `<${link.url}|Respond>` } }]
        : []),
    ],
  };
}

const listContextBlocks = (lines: readonly string[]): object[] =>
  Array.from({ length: Math.ceil(lines.length / MAX_CONTEXT_ELEMENTS) }, (_, index) => ({
    type: "context",
    elements: lines
      .slice(index * MAX_CONTEXT_ELEMENTS, (index + 1) * MAX_CONTEXT_ELEMENTS)
      .map(toPlainTextObject),
  }));

const toPlainTextObject = (text: string) => ({
  type: "plain_text",
  text: escapeMarkup(text).slice(0, MAX_SECTION_CHARS),
  emoji: false,
});

/** Escapes the three characters that begin Slack's markup. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Confirmation, so that a request is not cancelled for everyone by accident. */
const CANCEL_CONFIRMATION = {
  title: toPlainTextObject("Call it off?"),
  text: toPlainTextObject("Nobody will be asked to do it."),
  confirm: toPlainTextObject("Call off"),
  deny: toPlainTextObject("Keep it"),
};

function buildElements(notice: Notice): object[] {
  const { link, household, ref } = notice;
  const buildButton = ({ action, label }: Button) => ({
    type: "button",
    action_id: action,
    text: toPlainTextObject(label),
    value: `${household}/${ref}`,
    ...(action === "claimed" ? { style: "primary" } : {}),
    ...(action === "cancel" ? { style: "danger", confirm: CANCEL_CONFIRMATION } : {}),
  });
  const page =
    link === undefined || !needsPageLink(notice)
      ? []
      : [
          {
            type: "button",
            action_id: OPEN_PAGE_ACTION,
            text: toPlainTextObject("Respond"),
            url: link.url,
          },
        ];
  return [...page, ...buildButtons(notice).map(buildButton)];
}
