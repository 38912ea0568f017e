/** Signed JSON of services: alerts, signals, GitHub. What it sends is posted to one configured address. */
import type { SourceKind } from "../source-kind.ts";
import { buildWebhookAddress } from "./address.ts";
import { webhookSettingsSchema, type WebhookSourceSettings } from "./config.ts";
import { receiveWebhook } from "./receive.ts";
import { sendWebhookMessage } from "./send.ts";

export const webhookKind: SourceKind<WebhookSourceSettings> = {
  settings: webhookSettingsSchema,
  secrets: ["secret", "send_secret"],
  explainCannotSend: ({ url }) =>
    url === undefined
      ? "This source has no address to post to: set `url` to send messages."
      : undefined,
  getAddress: (_settings, place) => buildWebhookAddress(place),
  // Receivers of Standard Webhooks count a `webhook-id` once.
  detectsRepeats: true,
  send: sendWebhookMessage,
  receive: receiveWebhook,
};
