/**
 * Sends SMS by Twilio's Messages API: at most two segments, with the short link and the keywords for a reply. Replies
 * are received by `ingress/webhooks/twilio.ts`.
 */
import { defined } from "../../mess/defined.ts";
import { getConfig } from "../../config.ts";
import type { Channel, Notice, SendContext, SendResult } from "../channel.ts";
import {
  parseJsonMap,
  toRefusedFailure,
  toUnsentFailure,
  clampWaitSeconds,
} from "../shared/send-failures.ts";
import {
  buildHeadline,
  buildAnswerHint,
  isForRequestor,
  toNoticeLine,
} from "../shared/notice-text.ts";
import { getTwilioAuthorization, smsConfig, type SmsSettings } from "./config.ts";
import { cutToSegments, toPlainCharacters } from "./message-length.ts";
import { isolate } from "../shared/text-direction.ts";
import { stripEnd } from "../../mess/strip.ts";

export const TWILIO_API = "https://api.twilio.com";
export const MAX_SMS_CHARS = 1_600;
const MAX_SEGMENTS = 2;
/** Characters of the intent that are never cut. */
const MIN_INTENT_CHARS = 12;

/**
 * Twilio's error codes for a number that will never receive: invalid, unsubscribed by STOP, blocked, out of service or
 * a landline. Any other code is retried, since Twilio changes its codes; 30003 is a phone that is switched off.
 */
const UNREACHABLE_NUMBER_CODES: readonly number[] = [
  21211, 21214, 21217, 21265, 21266, 21614, 21635, 21610, 30004, 30005, 30006,
];

/** True if the error code says that nothing can ever be delivered to the number. */
export const isUnreachableNumberCode = (code: unknown): boolean =>
  UNREACHABLE_NUMBER_CODES.some((one) => one === code);

export const sms: Channel<SmsSettings, string> = {
  ...smsConfig,
  features: { edits: false, updates: false, buttons: false, maxCharacters: MAX_SMS_CHARS },
  send: sendSms,
};

async function sendSms(
  { settings, egress, now, env }: SendContext<SmsSettings>,
  to: string,
  notice: Notice,
): Promise<SendResult> {
  const callback = buildStatusCallback(getConfig(env).origin, notice);
  const sender = { settings, egress, now };
  return await postSms(sender, {
    To: to,
    Body: buildSmsText(notice),
    ...defined({ StatusCallback: callback }),
  });
}

/** @param fields of Twilio's Messages API, without the sender */
export async function postSms(
  { settings, egress, now }: Omit<SendContext<SmsSettings>, "env">,
  fields: Readonly<Record<string, string>>,
): Promise<SendResult> {
  const { account_sid, from, messaging_service_sid, api = TWILIO_API } = settings;
  const form = new URLSearchParams({
    ...defined({ From: from, MessagingServiceSid: messaging_service_sid }),
    ...fields,
  });
  const account = encodeURIComponent(account_sid);
  const response = await egress.send(
    `${stripEnd(api, "/")}/2010-04-01/Accounts/${account}/Messages.json`,
    {
      method: "POST",
      headers: {
        Authorization: getTwilioAuthorization(settings),
        "Content-Type": "application/x-www-form-urlencoded",
      },
      body: form.toString(),
    },
  );
  if (!response.ok) return toUnsentFailure(response.error);
  const { status, text } = response.value;
  const { sid, code } = parseJsonMap(text);
  if (status === 200 || status === 201)
    return typeof sid === "string" ? { ok: true, handle: sid } : { ok: true };
  // With invalid credentials nothing is accepted until an owner sets them again.
  const isGone = status === 401 || isUnreachableNumberCode(code);
  const failed = toRefusedFailure("Twilio", response.value, now, isGone);
  return {
    ...(status === 429 ? { retryAfterSeconds: clampWaitSeconds(30) } : {}),
    ...failed,
    reason: typeof code === "number" ? `${failed.reason}, error ${code}` : failed.reason,
  };
}

/** The URL to which Twilio reports the delivery. Its signature covers the query. */
function buildStatusCallback(
  origin: string | undefined,
  { household, ref, executor }: Notice,
): string | undefined {
  if (origin === undefined) return undefined;
  const query = new URLSearchParams({ ref, executor });
  return `${origin}/hooks/twilio/${household}?${query.toString()}`;
}

/** The complete message. Only the intent is cut, never the link or the reply keywords. */
export function buildSmsText(notice: Notice): string {
  const link = notice.link === undefined ? [] : [notice.link.short_url];
  const hint = buildAnswerHint(notice);
  const ending = [...link, ...(hint === "" ? [] : [hint])];
  return cutToSegments(
    toPlainCharacters(buildTitle(notice)),
    MAX_SEGMENTS,
    MIN_INTENT_CHARS,
    (cut) => [`MESS: ${isolate(cut)}`, ...ending].join("\n"),
  );
}

/** Alerts and updates to the requestor name the intent, because no earlier SMS did. */
const buildTitle = (notice: Notice): string =>
  (notice.kind === "alert" || isForRequestor(notice)) && notice.eventText !== undefined
    ? `${buildHeadline(notice)}: ${isolate(toNoticeLine(notice.intent, 200))}`
    : buildHeadline(notice);
