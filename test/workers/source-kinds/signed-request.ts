/** Requests to the webhooks of sources. */
import { signWebhookHeaders } from "../../support/sign-webhook.ts";
import { sendRequest } from "../support.ts";

export function postSignedJson(
  path: string,
  secret: string,
  id: string,
  json: unknown,
): Promise<Response> {
  const body = JSON.stringify(json);
  return sendRequest(path, { method: "POST", body, headers: signWebhookHeaders(secret, id, body) });
}
