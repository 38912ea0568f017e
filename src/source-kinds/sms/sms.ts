/**
 * SMS to the household's Twilio number that answer no request. They arrive by the webhook of the number; replies are
 * sent from it. SMS has no threads.
 */
import { smsConfig, type SmsSettings } from "../../channels/sms/config.ts";
import { MAX_SMS_CHARS, postSms } from "../../channels/sms/send.ts";
import { readOutgoingText, sendOnce } from "../chat/outgoing-text.ts";
import type { KindContext, OutgoingMessage, SourceKind, SourceSendResult } from "../source-kind.ts";

export const smsKind: SourceKind<SmsSettings> = {
  channel: "sms",
  settings: smsConfig.settings,
  secrets: [],
  isSingle: true,
  explainCannotSend: () => undefined,
  send: sendSms,
};

async function sendSms(
  context: KindContext<SmsSettings>,
  message: OutgoingMessage,
): Promise<SourceSendResult> {
  const outgoing = readOutgoingText(message, MAX_SMS_CHARS);
  if ("ok" in outgoing) return outgoing;
  const { to, text } = outgoing;
  return await sendOnce(context, (own) => postSms(own, { To: to, Body: text }));
}
