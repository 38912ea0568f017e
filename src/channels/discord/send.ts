/**
 * Discord's incoming webhooks: out only. The message is edited as the thread changes. What agents wrote pings nobody,
 * formats nothing and fetches no preview.
 */
import type { Channel, Notice, Sender, Sent } from "../channel.ts";
import type { EgressAnswer } from "../../egress/egress.ts";
import { mapOf, refusedBy, unsent, waitOf } from "../shared/send-failures.ts";
import { details, headline, oneLine } from "../shared/notice-text.ts";
import { CHANNEL_SCHEMAS } from "../schemas.ts";
import { stripEnd } from "../../mess/strip.ts";

const MOST = 2_000;
/** `SUPPRESS_EMBEDS`: no preview of the link, which would open it. */
const NO_PREVIEW = 4;
/** Discord's code of a message that somebody deleted. */
const UNKNOWN_MESSAGE = 10_008;

export const discord: Channel<object, string> = {
  ...CHANNEL_SCHEMAS.discord,
  kind: "discord",
  carries: { edits: true, updates: false, buttons: false, characters: MOST },
  send: async (sender, address, notice) => {
    const url = new URL(address);
    url.searchParams.set("wait", "true");
    return await post(sender, "POST", url, notice);
  },
  update: async (sender, address, handle, notice) => {
    const url = new URL(address);
    url.pathname = `${stripEnd(url.pathname, "/")}/messages/${encodeURIComponent(handle)}`;
    return await post(sender, "PATCH", url, notice);
  },
};

async function post(
  { egress, now }: Sender<object>,
  method: "POST" | "PATCH",
  url: URL,
  notice: Notice,
): Promise<Sent> {
  const answer = await egress.send(url.href, {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      content: contentOf(notice),
      allowed_mentions: { parse: [] },
      flags: NO_PREVIEW,
    }),
  });
  if (!answer.ok) return unsent(answer.error);
  const { status, text } = answer.value;
  const { id, code, retry_after } = mapOf(text);
  if (status === 200 || status === 204)
    return typeof id === "string" ? { ok: true, handle: id } : { ok: true };
  // Who deleted the message does not want it; there is nothing left to edit.
  if (status === 404 && code === UNKNOWN_MESSAGE) return { ok: true };
  const failed = refusedBy("Discord", answer.value, now, isGone(answer.value));
  return typeof retry_after === "number" ? { ...failed, retry_after: waitOf(retry_after) } : failed;
}

/** The webhook was deleted, or its token is none. */
const isGone = ({ status }: EgressAnswer): boolean =>
  status === 401 || status === 404 || status === 410;

/** Signs that Discord would take for markup; lists and headings count at the start of a line only. */
const MARKUP = /[\\*_~`|[\]<>]|^(?:[#+-]|\d+\.)/g;

const escaped = (text: string): string => text.replaceAll(MARKUP, "\\$&");

function contentOf(notice: Notice): string {
  const link = notice.link === undefined ? [] : [notice.link.short_url];
  const room = MOST - link.join("").length - 1;
  const lines = [`**${escaped(headline(notice))}**`, ...details(notice).map(escaped)];
  const said: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (length + line.length + 1 > room) break;
    said.push(line);
    length += line.length + 1;
  }
  return [...(said.length > 0 ? said : [escaped(oneLine(headline(notice), 200))]), ...link].join(
    "\n",
  );
}
