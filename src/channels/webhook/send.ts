/**
 * Robots and services by webhook, as Standard Webhooks has it: signed, under the same id at every attempt. Taken is
 * what is answered with 2xx; a MESS message in that answer is the robot's own at once. What it says later comes in by
 * `ingress/webhooks/executor.ts`.
 */
import { deriveWebhookSecret, signWebhook } from "../../auth/callbacks/webhook-signatures.ts";
import { configOf } from "../../config.ts";
import type { Channel, Notice, Sender, Sent } from "../channel.ts";
import type { EgressAnswer } from "../../egress/egress.ts";
import { refusedBy, unsent } from "../shared/send-failures.ts";
import { type Answer, answerOf } from "../shared/machine-reply.ts";
import { CHANNEL_SCHEMAS, type WebhookAddress } from "../schemas.ts";
import { EVENTS, jsonBody, threadAddress, type WebhookBody, yamlBody } from "./body.ts";

/** Bytes of an answer that the egress reads; one that is as long was cut. */
const MOST_READ = 64 * 1024;
const GONE = 410;
const READABLE = /^(?:application|text)\/(?:json|(?:x-)?yaml)$/;

export const webhook: Channel<object, WebhookAddress> = {
  ...CHANNEL_SCHEMAS.webhook,
  kind: "webhook",
  carries: { edits: false, updates: true, buttons: false },
  send,
};

async function send(
  { egress, env, now }: Sender<object>,
  address: WebhookAddress,
  notice: Notice,
): Promise<Sent> {
  const { url, body: form, secret: own } = typeof address === "string" ? { url: address } : address;
  const { household, executor, id } = notice;
  const secret = own ?? (await deriveWebhookSecret(configOf(env).secret, household, executor));
  const body = form === "json" ? jsonBody(notice, now) : yamlBody(notice, await notice.file());
  const answer = await egress.send(url, {
    method: "POST",
    headers: { ...headersOf(notice, body), ...(await signWebhook(secret, id, now, body.bytes)) },
    body: body.bytes,
  });
  if (!answer.ok) return unsent(answer.error);
  const { status } = answer.value;
  return status >= 200 && status < 300
    ? { ok: true, ...answered(answer.value, notice.ref) }
    : refusedBy("the webhook", answer.value, now, status === GONE);
}

/** What a file has no field for stands beside it. */
function headersOf(notice: Notice, { type, cut }: WebhookBody): Record<string, string> {
  const { kind, ref, callback } = notice;
  const thread = threadAddress(notice);
  return {
    "content-type": type,
    accept: "application/yaml, application/json",
    "mess-event": EVENTS[kind],
    "mess-ref": ref,
    ...(callback === undefined
      ? {}
      : { "mess-callback": callback.url, "mess-callback-token": callback.token }),
    ...(thread === undefined ? {} : { "mess-thread": thread }),
    ...(cut ? { "mess-cut": "true" } : {}),
  };
}

function answered({ headers, text }: EgressAnswer, ref: string): Answer {
  const type = (headers.get("Content-Type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (!READABLE.test(type) || text.trim() === "") return {};
  if (new TextEncoder().encode(text).byteLength >= MOST_READ)
    return { note: "its answer is too long to be read" };
  return answerOf(text, ref);
}
