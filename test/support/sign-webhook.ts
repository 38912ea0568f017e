/** Signs requests with the library of Standard Webhooks. */
import { Webhook } from "standardwebhooks";

/** The headers of a signed JSON request. */
export const signWebhookHeaders = (
  secret: string,
  id: string,
  body: string,
  at: Date = new Date(),
): Record<string, string> => ({
  "Content-Type": "application/json",
  "webhook-id": id,
  "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
  "webhook-signature": new Webhook(secret).sign(id, at, body),
});
