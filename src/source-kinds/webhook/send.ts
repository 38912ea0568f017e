/**
 * Posts a message as JSON to the address of the settings, signed by Standard Webhooks. Its `webhook-id` is the same at
 * each attempt, so that the receiver counts it once.
 */
import { signWebhook } from "../../auth/callbacks/webhook-signatures.ts";
import { encodeBase64 } from "../../bytes.ts";
import { toRefusedFailure } from "../../channels/shared/send-failures.ts";
import { defined } from "../../mess/defined.ts";
import { writeTime } from "../../mess/times.ts";
import type { KindContext, OutgoingMessage, SourceSendResult } from "../source-kind.ts";
import type { WebhookSourceSettings } from "./config.ts";

const MAX_SENT_BYTES = 5 * 1024 * 1024;

/** Refusals after which the same request can succeed later. */
const TEMPORARY_STATUSES = [408, 409, 423, 425, 429];

export async function sendWebhookMessage(
  { settings, egress, source, now }: KindContext<WebhookSourceSettings>,
  message: OutgoingMessage,
): Promise<SourceSendResult> {
  const { url, secret, send_secret: own } = settings;
  if (url === undefined)
    return { ok: false, reason: "the source has no `url` to post to", isPermanent: true };
  const body = new TextEncoder().encode(JSON.stringify(buildBody(source, message, now)));
  if (body.byteLength > MAX_SENT_BYTES)
    return { ok: false, reason: "the message with its files exceeds 5 MB", isPermanent: true };
  const response = await egress.send(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(await signWebhook(own ?? secret, message.key, now, body)),
    },
    body,
  });
  if (!response.ok) {
    const { code, message: reason } = response.error;
    return { ok: false, reason, ...(code === "bad_field" ? { isPermanent: true } : {}) };
  }
  const { status } = response.value;
  if (status >= 200 && status < 300) return { ok: true, external_id: message.key };
  const isPermanent = status >= 400 && status < 500 && !TEMPORARY_STATUSES.includes(status);
  return toRefusedFailure("the webhook", response.value, now, isPermanent);
}

const buildBody = (
  source: string,
  { key, subject, body, answers, attachments }: OutgoingMessage,
  now: number,
): object => ({
  type: "message.sent",
  timestamp: writeTime(now, "UTC"),
  data: {
    id: key,
    source,
    ...defined({ subject }),
    body,
    ...defined({ reply_to: answers?.external_id }),
    ...(attachments.length === 0
      ? {}
      : {
          attachments: attachments.map(({ name, mime, bytes }) => ({
            name,
            mime,
            base64: encodeBase64(bytes),
          })),
        }),
  },
});
