/**
 * Google Chat's incoming webhooks: out only, and without edits. All messages of a thread go into one thread of the
 * space, which its key makes.
 */
import type { Channel, Notice, Sender, Sent } from "../channel.ts";
import { mapOf, refusedBy, unsent, waitOf } from "../shared/send-failures.ts";
import { details, headline } from "../shared/notice-text.ts";
import { CHANNEL_SCHEMAS } from "../schemas.ts";

const MOST = 4_000;
/** A space takes one message a second from all of its webhooks. */
const WAIT_SECONDS = 2;

export const googleChat: Channel<object, string> = {
  ...CHANNEL_SCHEMAS.google_chat,
  kind: "google_chat",
  carries: { edits: false, updates: false, buttons: false, characters: MOST },
  send,
};

async function send(
  { egress, now }: Sender<object>,
  address: string,
  notice: Notice,
): Promise<Sent> {
  const url = new URL(address);
  url.searchParams.set("messageReplyOption", "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD");
  const answer = await egress.send(url.href, {
    method: "POST",
    headers: { "Content-Type": "application/json; charset=UTF-8" },
    body: JSON.stringify({
      text: textOf(notice),
      thread: { threadKey: `${notice.household}/${notice.ref}` },
    }),
  });
  if (!answer.ok) return unsent(answer.error);
  const { status, text } = answer.value;
  const { name } = mapOf(text);
  if (status === 200) return typeof name === "string" ? { ok: true, handle: name } : { ok: true };
  // The webhook, its token or the space is no more.
  const gone = status === 401 || status === 403 || status === 404 || status === 410;
  return {
    ...(status === 429 ? { retry_after: waitOf(WAIT_SECONDS) } : {}),
    ...refusedBy("Google Chat", answer.value, now, gone),
  };
}

/**
 * What agents wrote mentions nobody and links nowhere: `<users/all>` and `<address|text>` are Chat's markup, which it
 * has no way to escape.
 */
const plain = (text: string): string => text.replaceAll("<", "‹").replaceAll(">", "›");

function textOf(notice: Notice): string {
  const link = notice.link === undefined ? [] : [notice.link.short_url];
  const lines = [headline(notice), ...details(notice)].map(plain).join("\n");
  return [lines.slice(0, MOST - link.join("").length - 1), ...link].join("\n");
}
