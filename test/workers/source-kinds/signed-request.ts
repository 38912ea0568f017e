/** Requests that are signed with the library of Standard Webhooks. */
import { Webhook } from "standardwebhooks";
import { sendRequest } from "../support.ts";

export function postSignedJson(
  path: string,
  secret: string,
  id: string,
  json: unknown,
): Promise<Response> {
  const body = JSON.stringify(json);
  const at = new Date();
  return sendRequest(path, {
    method: "POST",
    body,
    headers: {
      "Content-Type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(secret).sign(id, at, body),
    },
  });
}
