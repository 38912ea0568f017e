/**
 * Sends notifications to every browser in which the member has subscribed, with buttons to claim or decline the thread.
 * They are encrypted for the browser (RFC 8291) and signed for the push service (VAPID, RFC 8292). The browser posts
 * the member's actions with its own session.
 */
import { getHouseholdStub } from "../../stubs.ts";
import { importJWK, SignJWT } from "jose";
import { isFinal, type Status } from "../../mess/status.ts";
import type { Channel, Notice, SendContext, SendResult } from "../channel.ts";
import { isFixedMessage } from "../shared/buttons.ts";
import { toRefusedFailure, toUnsentFailure } from "../shared/send-failures.ts";
import { encryptPush, MAX_PLAINTEXT_BYTES } from "./encrypt.ts";
import type { PushPayload } from "./payload.ts";
import { toEventLine, toNoticeLine } from "../shared/notice-text.ts";
import { buildQuickReplies } from "./quick-replies.ts";
import { pushConfig, type PushSettings, type PushSubscription } from "./config.ts";

type PushFailure = Extract<SendResult, { ok: false }>;
type VapidSettings = NonNullable<PushSettings["vapid"]>;

/** Lifetime of the signature. Push services accept at most a day. */
const SIGNATURE_SECONDS = 43_200;
/** Maximum time that a push service stores a message for a browser that is off. */
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

/** True if an offer or alert is outdated: a member holds the thread, or it has ended. */
const isOfferOver = ({ kind, holder, actions, status }: Notice): boolean =>
  holder !== null || (kind === "alert" ? isFinal(status as Status) : !actions.includes("claimed"));

export const push: Channel<PushSettings, true | PushSubscription[]> = {
  ...pushConfig,
  features: { edits: true, updates: false, buttons: true },
  send: (sender, address, notice) => sendToBrowsers(sender, address, notice, buildPayload(notice)),
  // News stays as it was sent. A notification for an offer disappears when the offer is over.
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
  const isRequest = kind === "offer" || kind === "reminder";
  const canComplete = actions.includes("response") && actions.includes("completed");
  const replies = isRequest && canComplete ? buildQuickReplies(notice.request) : [];
  const eventLines = eventText === undefined ? [] : [eventText];
  return {
    id,
    kind: kind === "update" ? "news" : kind,
    ref,
    intent: toNoticeLine(notice.intent, 200),
    requestor: toNoticeLine(notice.requestor, 80),
    lines:
      kind === "offer"
        ? context.slice(0, 3).map((line) => toNoticeLine(line, 200))
        : eventLines.map((line) => toEventLine(line, 200)),
    holder: holder === null ? null : toNoticeLine(holder, 80),
    mine: isHolder,
    actions: [
      ...(actions.includes("claimed") ? (["claim"] as const) : []),
      ...(actions.includes("declined") && !isHolder ? (["decline"] as const) : []),
    ],
    ...(replies.length > 0 ? { replies } : {}),
    urgent: priority === "urgent",
  };
}

/** The payload as bytes. Lines are removed until it fits into one record. */
function encodePayload(payload: PushPayload): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(JSON.stringify(payload)) as Uint8Array<ArrayBuffer>;
  return bytes.length <= MAX_PLAINTEXT_BYTES || payload.lines.length === 0
    ? bytes
    : encodePayload({ ...payload, lines: payload.lines.slice(0, -1) });
}

/** Sends to every browser of the member; one success is enough. Subscriptions that have ended are removed. */
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
  // The address is gone only if every browser is.
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
    return {
      ok: false,
      reason: "the keys of the browser's subscription are invalid",
      isPermanent: true,
    };
  }
  const response = await sender.egress.send(endpoint, {
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
  if (!response.ok) return toUnsentFailure(response.error);
  const { status } = response.value;
  if (status >= 200 && status < 300) return { ok: true };
  const isGone = status === 404 || status === 410;
  if (isGone) await removeSubscription(sender, notice, endpoint);
  return toRefusedFailure("the push service", response.value, sender.now, isGone);
}

const removeSubscription = ({ env }: SendContext<PushSettings>, notice: Notice, endpoint: string) =>
  getHouseholdStub(env, notice.household).contacts.unsubscribe(notice.executor, endpoint);

/** Identifies the sender to this push service only (RFC 8292). */
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

/** Seconds until the thread expires, or a default for its priority. */
function getTtlSeconds({ expires, priority }: Notice, now: number): number {
  const until = expires === undefined ? Number.NaN : Date.parse(expires);
  const seconds = Number.isNaN(until)
    ? (TTL_SECONDS_BY_PRIORITY[priority] ?? 86_400)
    : Math.ceil((until - now) / 1_000);
  return Math.min(MAX_TTL_SECONDS, Math.max(60, seconds));
}

/** A topic for each thread: a later message replaces one that still waits at the push service (RFC 8030, 5.4). */
async function computeTopic({ household, ref }: Notice): Promise<string> {
  const name = new TextEncoder().encode(`${household}/${ref}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", name));
  return btoa(String.fromCharCode(...digest.subarray(0, 24)))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}
