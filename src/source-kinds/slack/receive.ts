/** A message to the app as a source's message. */
import { decodeUtf8 } from "../../bytes.ts";
import { parseJsonMap } from "../../channels/shared/send-failures.ts";
import type { SlackEvent } from "../../channels/slack/receive.ts";
import { writeSlackHandle } from "../../channels/slack/send.ts";
import { buildChatBody } from "../chat/incoming-text.ts";
import type { ParsedMessage } from "../source-kind.ts";

/**
 * @param body of the request
 * @param now milliseconds since 1970
 */
export function toSlackMessage(
  { user, channel, ts, inbound, files }: SlackEvent,
  body: Uint8Array,
  now: number,
): ParsedMessage {
  const at = Math.floor(Number(ts) * 1_000);
  return {
    external_id: ts === undefined ? inbound.id : writeSlackHandle(channel, ts),
    sender: user,
    recipient: channel,
    body: buildChatBody(inbound, files.length > 0),
    timestamp: Number.isSafeInteger(at) && at > 0 ? at : now,
    headers: [
      ["Channel", channel],
      ["From-Id", user],
      ...(ts === undefined ? [] : [["Timestamp", ts] as [string, string]]),
    ],
    ...(inbound.handle === undefined ? {} : { references: [inbound.handle] }),
    channel,
    attachments: [],
    raw: { mime: "application/json", bytes: readEvent(body) },
  };
}

/** Without the rest of the body, which contains the app's old verification token. */
function readEvent(body: Uint8Array): Uint8Array {
  const { event = null } = parseJsonMap(decodeUtf8(body) ?? "");
  return new TextEncoder().encode(JSON.stringify(event));
}
