/** An SMS or MMS as a source's message. */
import type { TwilioSms } from "../../channels/sms/receive-request.ts";
import { FORM_TYPE } from "../../channels/shared/request-body.ts";
import { buildChatBody } from "../chat/incoming-text.ts";
import type { ParsedMessage } from "../source-kind.ts";

/**
 * @param form the request's body
 * @param now milliseconds since 1970; Twilio does not say when an SMS was sent
 */
export const toSmsMessage = (
  { id, from, to, text, media }: TwilioSms,
  form: Uint8Array,
  now: number,
): ParsedMessage => ({
  external_id: id,
  sender: from,
  recipient: to,
  body: buildChatBody({ text }, media.length > 0),
  timestamp: now,
  headers: [["Message-Sid", id]],
  channel: from,
  attachments: [],
  raw: { mime: FORM_TYPE, bytes: form },
});
