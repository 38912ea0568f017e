/**
 * Web Push: a notification in every browser in which the member has subscribed, with buttons to take the thread or
 * pass. Encrypted for the browser (RFC 8291), signed for the push service (VAPID, RFC 8292). What is done from it is
 * sent by the browser with its own session.
 */
import { householdStub } from "../../stubs.ts";
import { importJWK, SignJWT } from "jose";
import { isFinal, type Status } from "../../mess/status.ts";
import type { Channel, Notice, Sender, Sent } from "../channel.ts";
import { staysAsSaid } from "../shared/buttons.ts";
import { refusedBy, unsent } from "../shared/send-failures.ts";
import { encryptPush, MOST_PLAIN } from "./encrypt.ts";
import type { PushNote } from "./payload.ts";
import { oneLine } from "../shared/notice-text.ts";
import { CHANNEL_SCHEMAS, type PushSettings, type PushSubscription } from "../schemas.ts";

type Failed = Extract<Sent, { ok: false }>;
type Vapid = NonNullable<PushSettings["vapid"]>;

/** Seconds for which the signature is good; push services take a day at most. */
const SIGNED_FOR = 43_200;
/** Seconds that a push service keeps a message for a browser that is off. */
const LONGEST = 28 * 86_400;
const KEPT_FOR: Readonly<Record<string, number>> = {
  urgent: 14_400,
  elevated: 43_200,
  normal: 86_400,
  background: 259_200,
};
/** RFC 8030, section 5.3. */
const URGENCY: Readonly<Record<string, string>> = {
  urgent: "high",
  elevated: "high",
  normal: "normal",
  background: "low",
};

/** Somebody holds it, or it has ended: there is nothing to be offered any more, nor to be alerted to. */
const isOver = ({ kind, holder, actions, status }: Notice): boolean =>
  holder !== null || (kind === "alert" ? isFinal(status as Status) : !actions.includes("claimed"));

export const push: Channel<PushSettings, true | PushSubscription[]> = {
  ...CHANNEL_SCHEMAS.push,
  kind: "push",
  carries: { edits: true, updates: false, buttons: true },
  send: (sender, address, notice) => tell(sender, address, notice, noteOf(notice)),
  // What was said stays as it was said; an offer goes away once it is none.
  update: async (sender, address, handle, notice) =>
    isOver(notice) && !staysAsSaid(notice)
      ? await tell(sender, address, notice, { ...noteOf(notice), kind: "over", actions: [] })
      : { ok: true, handle },
};

function noteOf(notice: Notice): PushNote {
  const { id, kind, ref, context, news, holder, mine, actions, priority } = notice;
  const told = news === undefined ? [] : [news];
  return {
    id,
    kind: kind === "update" ? "news" : kind,
    ref,
    intent: oneLine(notice.intent, 200),
    requestor: oneLine(notice.requestor, 80),
    lines: (kind === "offer" ? context : told).slice(0, 3).map((line) => oneLine(line, 200)),
    holder: holder === null ? null : oneLine(holder, 80),
    mine,
    actions: [
      ...(actions.includes("claimed") ? (["claim"] as const) : []),
      ...(actions.includes("declined") && !mine ? (["decline"] as const) : []),
    ],
    urgent: priority === "urgent",
  };
}

/** The note as bytes: lines are left out where all of it is more than one record. */
function plainOf(note: PushNote): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(JSON.stringify(note)) as Uint8Array<ArrayBuffer>;
  return bytes.length <= MOST_PLAIN || note.lines.length === 0
    ? bytes
    : plainOf({ ...note, lines: note.lines.slice(0, -1) });
}

/** Tells every browser of the member. Taken by one is taken; a browser that is gone is forgotten. */
async function tell(
  sender: Sender<PushSettings>,
  address: true | PushSubscription[],
  notice: Notice,
  note: PushNote,
): Promise<Sent> {
  const { vapid } = sender.settings;
  if (!vapid) return { ok: false, reason: "the household has no key for push services" };
  if (address === true || address.length === 0)
    return { ok: false, reason: "no browser of the member has subscribed" };
  const topic = await topicOf(notice);
  const plain = plainOf(note);
  const results = await Promise.all(
    address.map((one) => tellBrowser(sender, vapid, one, notice, { topic, plain })),
  );
  if (results.some(({ ok }) => ok)) return { ok: true, handle: topic };
  const refused = results.filter((one): one is Failed => !one.ok);
  // The way itself is gone only when every browser is.
  const open = refused.filter(({ gone }) => !gone);
  return open[0] ?? refused[0]!;
}

async function tellBrowser(
  sender: Sender<PushSettings>,
  vapid: Vapid,
  subscription: PushSubscription,
  notice: Notice,
  { topic, plain }: { topic: string; plain: Uint8Array<ArrayBuffer> },
): Promise<Sent> {
  const { endpoint } = subscription;
  let body: Uint8Array<ArrayBuffer>;
  try {
    body = await encryptPush(subscription, plain);
  } catch {
    await forget(sender, notice, endpoint);
    return { ok: false, reason: "the browser's keys are none", gone: true };
  }
  const answer = await sender.egress.send(endpoint, {
    method: "POST",
    headers: {
      Authorization: await signed(sender, vapid, notice, endpoint),
      "Content-Encoding": "aes128gcm",
      "Content-Type": "application/octet-stream",
      TTL: String(keptFor(notice, sender.now)),
      Urgency: URGENCY[notice.priority] ?? "normal",
      Topic: topic,
    },
    body,
  });
  if (!answer.ok) return unsent(answer.error);
  const { status } = answer.value;
  if (status >= 200 && status < 300) return { ok: true };
  const gone = status === 404 || status === 410;
  if (gone) await forget(sender, notice, endpoint);
  return refusedBy("the push service", answer.value, sender.now, gone);
}

const forget = ({ env }: Sender<PushSettings>, notice: Notice, endpoint: string) =>
  householdStub(env, notice.household).unsubscribe(notice.executor, endpoint);

/** RFC 8292: who sends, for this push service only. */
async function signed(
  { settings, now }: Sender<PushSettings>,
  vapid: Vapid,
  { link }: Notice,
  endpoint: string,
): Promise<string> {
  const subject = settings.subject ?? (link && new URL(link.url).origin);
  const token = new SignJWT(subject === undefined ? {} : { sub: subject })
    .setProtectedHeader({ alg: "ES256", typ: "JWT" })
    .setAudience(new URL(endpoint).origin)
    .setExpirationTime(Math.floor(now / 1_000) + SIGNED_FOR);
  const key = await importJWK(vapid.privateKey, "ES256");
  return `vapid t=${await token.sign(key)}, k=${vapid.publicKey}`;
}

/** Until the thread expires, else as long as its priority is worth. */
function keptFor({ expires, priority }: Notice, now: number): number {
  const until = expires === undefined ? Number.NaN : Date.parse(expires);
  const seconds = Number.isNaN(until)
    ? (KEPT_FOR[priority] ?? 86_400)
    : Math.ceil((until - now) / 1_000);
  return Math.min(LONGEST, Math.max(60, seconds));
}

/** A later message about the thread takes the place of one that still waits at the push service (RFC 8030, 5.4). */
async function topicOf({ household, ref }: Notice): Promise<string> {
  const name = new TextEncoder().encode(`${household}/${ref}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", name));
  return btoa(String.fromCharCode(...digest.subarray(0, 24)))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}
