/**
 * Sends to Discord by an incoming webhook, which cannot receive. The message is edited when the thread changes. Text
 * of agents must not mention members, format the message or load a preview.
 */
import type { Channel, Notice, SendContext, SendResult } from "../channel.ts";
import type { EgressResponse } from "../../egress/egress.ts";
import {
  parseJsonMap,
  toRefusedFailure,
  toUnsentFailure,
  clampWaitSeconds,
} from "../shared/send-failures.ts";
import { buildDetails, buildHeadline } from "../shared/notice-text.ts";
import { cutLine } from "../../mess/one-line.ts";
import { discordConfig } from "./config.ts";
import { stripEnd } from "../../mess/strip.ts";

const MAX_CHARS = 2_000;
/** `SUPPRESS_EMBEDS`. A preview would request the link, and so open it before the member does. */
const SUPPRESS_EMBEDS_FLAG = 4;
/** Discord's error code for a deleted message. */
const UNKNOWN_MESSAGE_CODE = 10_008;

export const discord: Channel<object, string> = {
  ...discordConfig,
  features: { edits: true, updates: false, buttons: false, maxCharacters: MAX_CHARS },
  send: async (sender, address, notice) => {
    const url = new URL(address);
    url.searchParams.set("wait", "true");
    return await postMessage(sender, "POST", url, notice);
  },
  update: async (sender, address, handle, notice) => {
    const url = new URL(address);
    url.pathname = `${stripEnd(url.pathname, "/")}/messages/${encodeURIComponent(handle)}`;
    return await postMessage(sender, "PATCH", url, notice);
  },
};

async function postMessage(
  { egress, now }: SendContext<object>,
  method: "POST" | "PATCH",
  url: URL,
  notice: Notice,
): Promise<SendResult> {
  const response = await egress.send(url.href, {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      content: buildContent(notice),
      allowed_mentions: { parse: [] },
      flags: SUPPRESS_EMBEDS_FLAG,
    }),
  });
  if (!response.ok) return toUnsentFailure(response.error);
  const { status, text } = response.value;
  const { id, code, retry_after } = parseJsonMap(text);
  if (status === 200 || status === 204)
    return typeof id === "string" ? { ok: true, handle: id } : { ok: true };
  // The message was deleted on purpose, so there is nothing to edit.
  if (status === 404 && code === UNKNOWN_MESSAGE_CODE) return { ok: true };
  const failed = toRefusedFailure("Discord", response.value, now, isWebhookGone(response.value));
  return typeof retry_after === "number"
    ? { ...failed, retryAfterSeconds: clampWaitSeconds(retry_after) }
    : failed;
}

/** The webhook was deleted, or its token is invalid. */
const isWebhookGone = ({ status }: EgressResponse): boolean =>
  status === 401 || status === 404 || status === 410;

/** Characters of Discord's Markdown. Lists and headings are markup only at the start of a line. */
const MARKUP_PATTERN = /[\\*_~`|[\]<>]|^(?:[#+-]|\d+\.)/g;

const escapeMarkup = (text: string): string => text.replaceAll(MARKUP_PATTERN, "\\$&");

function buildContent(notice: Notice): string {
  const link = notice.link === undefined ? [] : [notice.link.short_url];
  const maxTextChars = MAX_CHARS - link.join("").length - 1;
  const lines = [
    `**${escapeMarkup(buildHeadline(notice))}**`,
    ...buildDetails(notice).map(escapeMarkup),
  ];
  const included: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (length + line.length + 1 > maxTextChars) break;
    included.push(line);
    length += line.length + 1;
  }
  return [
    ...(included.length > 0 ? included : [escapeMarkup(cutLine(buildHeadline(notice), 200))]),
    ...link,
  ].join("\n");
}
