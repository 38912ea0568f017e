/**
 * Google Chat's incoming webhooks: out only, and without edits. All messages of a thread go into one thread of the
 * space, which its key makes.
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
/** A space takes one message a second from all of its webhooks. */
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
  const answer = await egress.send(url.href, {
    method: "POST",
    headers: { "Content-Type": "application/json; charset=UTF-8" },
    body: JSON.stringify({
      text: buildText(notice),
      thread: { threadKey: `${notice.household}/${notice.ref}` },
    }),
  });
  if (!answer.ok) return toUnsentFailure(answer.error);
  const { status, text } = answer.value;
  const { name } = parseJsonMap(text);
  if (status === 200) return typeof name === "string" ? { ok: true, handle: name } : { ok: true };
  // The webhook, its token or the space is no more.
  const isGone = status === 401 || status === 403 || status === 404 || status === 410;
  return {
    ...(status === 429 ? { retryAfterSeconds: clampWaitSeconds(WAIT_SECONDS) } : {}),
    ...toRefusedFailure("Google Chat", answer.value, now, isGone),
  };
}

/**
 * What agents wrote mentions nobody and links nowhere: `<users/all>` and `<address|text>` are Chat's markup, which it
 * has no way to escape.
 */
const escapeMarkup = (text: string): string => text.replaceAll("<", "‹").replaceAll(">", "›");

function buildText(notice: Notice): string {
  const link = notice.link === undefined ? [] : [notice.link.short_url];
  const lines = [buildHeadline(notice), ...buildDetails(notice)].map(escapeMarkup).join("\n");
  return [lines.slice(0, MAX_CHARS - link.join("").length - 1), ...link].join("\n");
}
