/**
 * Sends to robots and services by webhook (Standard Webhooks): signed, with the same id at every attempt. A response
 * with 2xx accepts the notice; a MESS message in it is posted in the robot's name. Later messages are received by
 * `ingress/webhooks/executor-callbacks.ts`.
 */
import { listAccepted } from "../../auth/worker-secret.ts";
import { defined } from "../../mess/defined.ts";
import { deriveWebhookSecret, signWebhook } from "../../auth/callbacks/webhook-signatures.ts";
import { getConfig } from "../../config.ts";
import type { Channel, Notice, SendContext, SendResult } from "../channel.ts";
import type { EgressResponse } from "../../egress/egress.ts";
import { toRefusedFailure, toUnsentFailure } from "../shared/send-failures.ts";
import { type MachineReply, readMachineReply } from "../shared/machine-reply.ts";
import { webhookConfig, type WebhookAddress } from "./config.ts";
import {
  EVENT_BY_NOTICE_KIND,
  buildJsonBody,
  buildThreadUrl,
  type WebhookBody,
  buildYamlBody,
} from "./body.ts";

/** Bytes that the egress reads of a response. A response of this length may have been cut. */
const MAX_RESPONSE_BYTES = 64 * 1024;
const GONE_STATUS = 410;
const READABLE_TYPE_PATTERN = /^(?:application|text)\/(?:json|(?:x-)?yaml)$/;

export const webhook: Channel<object, WebhookAddress> = {
  ...webhookConfig,
  features: { edits: false, updates: true, buttons: false },
  send: sendWebhook,
};

async function sendWebhook(
  { egress, env, now }: SendContext<object>,
  address: WebhookAddress,
  notice: Notice,
): Promise<SendResult> {
  const { url, body: form, secret: own } = typeof address === "string" ? { url: address } : address;
  const { household, executor, id } = notice;
  const accepted = listAccepted(getConfig(env).secret);
  const derived = accepted.map((one) => deriveWebhookSecret(one, household, executor));
  const secrets = own === undefined ? await Promise.all(derived) : [own];
  const body =
    form === "json" ? buildJsonBody(notice, now) : buildYamlBody(notice, await notice.buildFile());
  const response = await egress.send(url, {
    method: "POST",
    headers: {
      ...buildHeaders(notice, body),
      ...(await signWebhook(secrets, id, now, body.bytes)),
    },
    body: body.bytes,
  });
  if (!response.ok) return toUnsentFailure(response.error);
  const { status } = response.value;
  return status >= 200 && status < 300
    ? { ok: true, ...readReply(response.value, notice.ref) }
    : toRefusedFailure("the webhook", response.value, now, status === GONE_STATUS);
}

/** Headers for the data that a MESSE-AF file has no field for. */
function buildHeaders(notice: Notice, { type, isCut: cut }: WebhookBody): Record<string, string> {
  const { kind, ref, callback } = notice;
  const thread = buildThreadUrl(notice);
  return {
    "content-type": type,
    accept: "application/yaml, application/json",
    "mess-event": EVENT_BY_NOTICE_KIND[kind],
    "mess-ref": ref,
    ...(callback === undefined
      ? {}
      : { "mess-callback": callback.url, "mess-callback-token": callback.token }),
    ...defined({ "mess-thread": thread }),
    ...(cut ? { "mess-cut": "true" } : {}),
  };
}

function readReply({ headers, text }: EgressResponse, ref: string): MachineReply {
  const type = (headers.get("Content-Type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (!READABLE_TYPE_PATTERN.test(type) || text.trim() === "") return {};
  if (new TextEncoder().encode(text).byteLength >= MAX_RESPONSE_BYTES)
    return { note: "its response is too long" };
  return readMachineReply(text, ref);
}
