/**
 * Slack by a bot of the household's workspace: one message with buttons for each request, edited as the thread changes;
 * what is new stands in the message's thread. What people do there is read by `ingress/webhooks/slack.ts`. What agents
 * wrote is plain text: it formats nothing, mentions nobody and fetches no preview.
 */
import type { Channel, Notice, Sender, Sent } from "../channel.ts";
import { type Button, buttonsOf, leadsToPage, lines, staysAsSaid } from "../shared/buttons.ts";
import { mapOf, refusedBy, unsent, waitOf } from "../shared/send-failures.ts";
import { headline } from "../shared/notice-text.ts";
import { CHANNEL_SCHEMAS, type SlackSettings } from "../schemas.ts";
import { stripEnd } from "../../mess/strip.ts";

export const SLACK_API = "https://slack.com/api";
/** `action_id` of the button that opens the page; the others are named by what they do. */
export const OPEN_PAGE = "respond";

/** Characters of a section's text (Block Kit). */
const MOST = 3_000;
/** Elements of a context block. */
const MOST_LINES = 10;

/** Errors after which nothing will be taken: the bot, or whom it writes to, is not there. */
const GONE: readonly unknown[] = [
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

/** The message was deleted, or may be edited no more: nobody wants the edit. */
const UNEDITABLE: readonly unknown[] = [
  "message_not_found",
  "cant_update_message",
  "edit_window_closed",
];

export const slack: Channel<SlackSettings, string> = {
  ...CHANNEL_SCHEMAS.slack,
  kind: "slack",
  carries: { edits: true, updates: false, buttons: true, characters: MOST },
  send: async (sender, address, notice) => {
    const below = notice.kind === "news" ? placeOf(notice.below) : undefined;
    return await call(sender, "chat.postMessage", {
      channel: below?.channel ?? address,
      ...(below === undefined ? {} : { thread_ts: below.ts }),
      ...contentOf(notice),
      ...PLAIN,
      unfurl_links: false,
      unfurl_media: false,
    });
  },
  update: async (sender, _address, handle, notice) => {
    const place = placeOf(handle);
    if (place === undefined || staysAsSaid(notice)) return { ok: true, handle };
    return await call(sender, "chat.update", { ...place, ...contentOf(notice), ...PLAIN });
  },
};

/** Nothing in the text is looked for: no names, no links. */
const PLAIN = { parse: "none", link_names: false };

/** `C0123:1712.0001` names a message: the conversation and its time there. */
function placeOf(handle: string | undefined): { channel: string; ts: string } | undefined {
  const [, channel, ts] = /^([A-Z0-9]+):(\d+\.\d+)$/.exec(handle ?? "") ?? [];
  return channel === undefined || ts === undefined ? undefined : { channel, ts };
}

export const slackHandle = (channel: string, ts: string): string => `${channel}:${ts}`;

async function call(
  { settings: { bot_token, api = SLACK_API }, egress, now }: Sender<SlackSettings>,
  method: "chat.postMessage" | "chat.update",
  body: object,
): Promise<Sent> {
  const answer = await egress.send(`${stripEnd(api, "/")}/${method}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${bot_token}`,
      "Content-Type": "application/json; charset=utf-8",
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) return unsent(answer.error);
  const { status, text } = answer.value;
  const { ok: taken, error, channel, ts } = mapOf(text);
  if (status === 200 && taken === true)
    return typeof channel === "string" && typeof ts === "string"
      ? { ok: true, handle: slackHandle(channel, ts) }
      : { ok: true };
  if (method === "chat.update" && UNEDITABLE.includes(error)) return { ok: true };
  // Refusals come with status 200 and a word.
  const failed = refusedBy("Slack", answer.value, now, GONE.includes(error));
  const limited = status === 429 || error === "ratelimited" || error === "rate_limited";
  return {
    ...failed,
    ...(limited && failed.retry_after === undefined ? { retry_after: waitOf(30) } : {}),
    reason:
      typeof error === "string" && /^\w{1,60}$/.test(error)
        ? `Slack refused it: ${error}`
        : failed.reason,
  };
}

/** The message in blocks, and as the one text of a phone's notification. */
function contentOf(notice: Notice): object {
  const title = plain(headline(notice));
  const below = lines(notice).slice(0, MOST_LINES).map(plain);
  const buttons = elementsOf(notice);
  return {
    text: title.text,
    blocks: [
      { type: "section", text: title },
      ...(below.length > 0 ? [{ type: "context", elements: below }] : []),
      ...(buttons.length > 0 ? [{ type: "actions", elements: buttons }] : []),
    ],
  };
}

const plain = (text: string) => ({
  type: "plain_text",
  text: escaped(text).slice(0, MOST),
  emoji: false,
});

/** The three signs that begin Slack's own markup. */
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** What is called off for all is not called off by a slip. */
const CONFIRM = {
  title: plain("Call it off?"),
  text: plain("Nobody will be asked for it any more."),
  confirm: plain("Call off"),
  deny: plain("Keep it"),
};

function elementsOf(notice: Notice): object[] {
  const { link, household, ref } = notice;
  const button = ({ act, label }: Button) => ({
    type: "button",
    action_id: act,
    text: plain(label),
    value: `${household}/${ref}`,
    ...(act === "claimed" ? { style: "primary" } : {}),
    ...(act === "cancel" ? { style: "danger", confirm: CONFIRM } : {}),
  });
  const page =
    link === undefined || !leadsToPage(notice)
      ? []
      : [{ type: "button", action_id: OPEN_PAGE, text: plain("Respond"), url: link.url }];
  return [...page, ...buttonsOf(notice).map(button)];
}
