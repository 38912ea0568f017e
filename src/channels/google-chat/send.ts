/**
 * Sends to Google Chat by an incoming webhook, which can neither receive nor edit. All messages of a thread have the
 * same thread key, so the space shows them as one conversation.
 */
import type { Channel, Notice, SendContext, SendResult } from "../channel.ts";
import {
  parseJsonMap,
  toRefusedFailure,
  toUnsentFailure,
  clampWaitSeconds,
} from "../shared/send-failures.ts";
import { buildDetails, buildHeadline } from "../shared/notice-text.ts";
import { googleChatConfig } from "./config.ts";

const MAX_CHARS = 4_000;
/** A space accepts one message a second from all of its webhooks. */
const WAIT_SECONDS = 2;

export const googleChat: Channel<object, string> = {
  ...googleChatConfig,
  features: { edits: false, updates: false, buttons: false, maxCharacters: MAX_CHARS },
  send: sendMessage,
};

async function sendMessage(
  { egress, now }: SendContext<object>,
  address: string,
  notice: Notice,
): Promise<SendResult> {
  const url = new URL(address);
  url.searchParams.set("messageReplyOption", "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD");
  const response = await egress.send(url.href, {
    method: "POST",
    headers: { "Content-Type": "application/json; charset=UTF-8" },
    body: JSON.stringify({
      text: buildText(notice),
      thread: { threadKey: `${notice.household}/${notice.ref}` },
    }),
  });
  if (!response.ok) return toUnsentFailure(response.error);
  const { status, text } = response.value;
  const { name } = parseJsonMap(text);
  if (status === 200) return typeof name === "string" ? { ok: true, handle: name } : { ok: true };
  // The webhook or the space was deleted, or the token is invalid.
  const isGone = status === 401 || status === 403 || status === 404 || status === 410;
  return {
    ...(status === 429 ? { retryAfterSeconds: clampWaitSeconds(WAIT_SECONDS) } : {}),
    ...toRefusedFailure("Google Chat", response.value, now, isGone),
  };
}

/**
 * Replaces the brackets of Chat's markup (`<users/all>`, `<address|text>`), which cannot be escaped: text of agents must
 * not mention members or hide the target of a link.
 */
const escapeMarkup = (text: string): string => text.replaceAll("<", "‹").replaceAll(">", "›");

function buildText(notice: Notice): string {
  const link = notice.link === undefined ? [] : [notice.link.short_url];
  const lines = [buildHeadline(notice), ...buildDetails(notice)].map(escapeMarkup).join("\n");
  return [lines.slice(0, MAX_CHARS - link.join("").length - 1), ...link].join("\n");
}
