/**
 * Web Push: a notification in every browser in which the member has subscribed, with buttons to take the thread or
 * pass. Encrypted for the browser (RFC 8291), signed for the push service (VAPID, RFC 8292). What is done from it is
 * sent by the browser with its own session.
 */
import { getHouseholdStub } from "../../stubs.ts";
import { importJWK, SignJWT } from "jose";
import { isFinal, type Status } from "../../mess/status.ts";
import type { Channel, Notice, SendContext, SendResult } from "../channel.ts";
import { isFixedMessage } from "../shared/buttons.ts";
import { toRefusedFailure, toUnsentFailure } from "../shared/send-failures.ts";
import { encryptPush, MAX_PLAINTEXT_BYTES } from "./encrypt.ts";
import type { PushPayload } from "./payload.ts";
import { toOneLine } from "../shared/notice-text.ts";
import { pushConfig, type PushSettings, type PushSubscription } from "./config.ts";

type PushFailure = Extract<SendResult, { ok: false }>;
type VapidSettings = NonNullable<PushSettings["vapid"]>;

/** Seconds for which the signature is good; push services take a day at most. */
const SIGNATURE_SECONDS = 43_200;
/** Seconds that a push service keeps a message for a browser that is off. */
const MAX_TTL_SECONDS = 28 * 86_400;
const TTL_SECONDS_BY_PRIORITY: Readonly<Record<string, number>> = {
  urgent: 14_400,
  elevated: 43_200,
  normal: 86_400,
  background: 259_200,
};
/** RFC 8030, section 5.3. */
const URGENCY_BY_PRIORITY: Readonly<Record<string, string>> = {
  urgent: "high",
  elevated: "high",
  normal: "normal",
  background: "low",
};

/** Somebody holds it, or it has ended: there is nothing to be offered any more, nor to be alerted to. */
const isOfferOver = ({ kind, holder, actions, status }: Notice): boolean =>
  holder !== null || (kind === "alert" ? isFinal(status as Status) : !actions.includes("claimed"));

export const push: Channel<PushSettings, true | PushSubscription[]> = {
  ...pushConfig,
  features: { edits: true, updates: false, buttons: true },
  send: (sender, address, notice) => sendToBrowsers(sender, address, notice, buildPayload(notice)),
  // What was said stays as it was said; an offer goes away once it is none.
  update: async (sender, address, handle, notice) =>
    isOfferOver(notice) && !isFixedMessage(notice)
      ? await sendToBrowsers(sender, address, notice, {
          ...buildPayload(notice),
          kind: "over",
          actions: [],
        })
      : { ok: true, handle },
};

function buildPayload(notice: Notice): PushPayload {
  const { id, kind, ref, context, eventText, holder, isHolder, actions, priority } = notice;
  const eventLines = eventText === undefined ? [] : [eventText];
  return {
    id,
    kind: kind === "update" ? "news" : kind,
    ref,
    intent: toOneLine(notice.intent, 200),
    requestor: toOneLine(notice.requestor, 80),
    lines: (kind === "offer" ? context : eventLines)
      .slice(0, 3)
      .map((line) => toOneLine(line, 200)),
    holder: holder === null ? null : toOneLine(holder, 80),
    mine: isHolder,
    actions: [
      ...(actions.includes("claimed") ? (["claim"] as const) : []),
      ...(actions.includes("declined") && !isHolder ? (["decline"] as const) : []),
    ],
    urgent: priority === "urgent",
  };
}

/** The note as bytes: lines are left out where all of it is more than one record. */
function encodePayload(payload: PushPayload): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(JSON.stringify(payload)) as Uint8Array<ArrayBuffer>;
  return bytes.length <= MAX_PLAINTEXT_BYTES || payload.lines.length === 0
    ? bytes
    : encodePayload({ ...payload, lines: payload.lines.slice(0, -1) });
}

/** Tells every browser of the member. Taken by one is taken; a browser that is gone is forgotten. */
async function sendToBrowsers(
  sender: SendContext<PushSettings>,
  address: true | PushSubscription[],
  notice: Notice,
  payload: PushPayload,
): Promise<SendResult> {
  const { vapid } = sender.settings;
  if (!vapid) return { ok: false, reason: "the household has no key for push services" };
  if (address === true || address.length === 0)
    return { ok: false, reason: "no browser of the member has subscribed" };
  const topic = await computeTopic(notice);
  const plain = encodePayload(payload);
  const results = await Promise.all(
    address.map((one) => sendToBrowser(sender, vapid, one, notice, { topic, plain })),
  );
  if (results.some(({ ok }) => ok)) return { ok: true, handle: topic };
  const refused = results.filter((one): one is PushFailure => !one.ok);
  // The way itself is gone only when every browser is.
  const retryable = refused.filter(({ isPermanent }) => !isPermanent);
  return retryable[0] ?? refused[0]!;
}

async function sendToBrowser(
  sender: SendContext<PushSettings>,
  vapid: VapidSettings,
  subscription: PushSubscription,
  notice: Notice,
  { topic, plain }: { topic: string; plain: Uint8Array<ArrayBuffer> },
): Promise<SendResult> {
  const { endpoint } = subscription;
  let body: Uint8Array<ArrayBuffer>;
  try {
    body = await encryptPush(subscription, plain);
  } catch {
    await removeSubscription(sender, notice, endpoint);
    return { ok: false, reason: "the browser's keys are none", isPermanent: true };
  }
  const answer = await sender.egress.send(endpoint, {
    method: "POST",
    headers: {
      Authorization: await buildAuthorization(sender, vapid, notice, endpoint),
      "Content-Encoding": "aes128gcm",
      "Content-Type": "application/octet-stream",
      TTL: String(getTtlSeconds(notice, sender.now)),
      Urgency: URGENCY_BY_PRIORITY[notice.priority] ?? "normal",
      Topic: topic,
    },
    body,
  });
  if (!answer.ok) return toUnsentFailure(answer.error);
  const { status } = answer.value;
  if (status >= 200 && status < 300) return { ok: true };
  const isGone = status === 404 || status === 410;
  if (isGone) await removeSubscription(sender, notice, endpoint);
  return toRefusedFailure("the push service", answer.value, sender.now, isGone);
}

const removeSubscription = ({ env }: SendContext<PushSettings>, notice: Notice, endpoint: string) =>
  getHouseholdStub(env, notice.household).contacts.unsubscribe(notice.executor, endpoint);

/** RFC 8292: who sends, for this push service only. */
async function buildAuthorization(
  { settings, now }: SendContext<PushSettings>,
  vapid: VapidSettings,
  { link }: Notice,
  endpoint: string,
): Promise<string> {
  const subject = settings.subject ?? (link && new URL(link.url).origin);
  const token = new SignJWT(subject === undefined ? {} : { sub: subject })
    .setProtectedHeader({ alg: "ES256", typ: "JWT" })
    .setAudience(new URL(endpoint).origin)
    .setExpirationTime(Math.floor(now / 1_000) + SIGNATURE_SECONDS);
  const key = await importJWK(vapid.privateKey, "ES256");
  return `vapid t=${await token.sign(key)}, k=${vapid.publicKey}`;
}

/** Until the thread expires, else as long as its priority is worth. */
function getTtlSeconds({ expires, priority }: Notice, now: number): number {
  const until = expires === undefined ? Number.NaN : Date.parse(expires);
  const seconds = Number.isNaN(until)
    ? (TTL_SECONDS_BY_PRIORITY[priority] ?? 86_400)
    : Math.ceil((until - now) / 1_000);
  return Math.min(MAX_TTL_SECONDS, Math.max(60, seconds));
}

/** A later message about the thread takes the place of one that still waits at the push service (RFC 8030, 5.4). */
async function computeTopic({ household, ref }: Notice): Promise<string> {
  const name = new TextEncoder().encode(`${household}/${ref}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", name));
  return btoa(String.fromCharCode(...digest.subarray(0, 24)))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}
