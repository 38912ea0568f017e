/** Sends a source's mail by the binding `SEND_EMAIL`, which encodes and signs it and adds `Message-ID` and `Date`. */
import { readMailServiceCode, toMailWaitSeconds } from "../../channels/email/mail-service.ts";
import { defined } from "../../mess/defined.ts";
import {
  buildLoopHeaders,
  buildSubject,
  buildThreadHeaders,
  listRecipients,
  MAX_RECIPIENTS,
  toAttachmentName,
} from "../mail/outgoing-mail.ts";
import { failForGood } from "../fail-for-good.ts";
import type { KindContext, OutgoingMessage, SourceSendResult } from "../source-kind.ts";
import { buildSourceAddress, type EmailSourceSettings } from "./config.ts";

/** Largest mail that the mail service sends to any address, with its files encoded in base64. */
const MAX_SENT_BYTES = 5 * 1024 * 1024;
const BASE64_GROWTH = 4 / 3;

/** Codes after which another attempt can only succeed when the owner or the operator has changed something. */
const PERMANENT_CODES: readonly string[] = [
  "E_RECIPIENT_SUPPRESSED",
  "E_RECIPIENT_NOT_ALLOWED",
  "E_SENDER_NOT_VERIFIED",
  "E_SENDER_DOMAIN_NOT_AVAILABLE",
  "E_VALIDATION_ERROR",
  "E_FIELD_MISSING",
  "E_TOO_MANY_RECIPIENTS",
  "E_CONTENT_TOO_LARGE",
  "E_HEADER_NOT_ALLOWED",
  "E_HEADER_VALUE_INVALID",
  "E_HEADER_VALUE_TOO_LONG",
  "E_HEADERS_TOO_LARGE",
];

/** The service failed after it took the mail. */
const UNCERTAIN_CODES: readonly string[] = ["E_DELIVERY_FAILED", "E_INTERNAL_SERVER_ERROR"];

export async function sendSourceMail(
  context: KindContext<EmailSourceSettings>,
  message: OutgoingMessage,
): Promise<SourceSendResult> {
  // A deployment may leave the binding out.
  const { SEND_EMAIL }: Partial<Env> = context.env;
  if (!SEND_EMAIL) return failForGood("this deployment cannot send mail: SEND_EMAIL is not bound");
  const mail = buildSourceMail(context, message);
  if ("ok" in mail) return mail;
  try {
    const { messageId } = await SEND_EMAIL.send(mail);
    return { ok: true, ...defined({ external_id: messageId }) };
  } catch (error) {
    return toSendFailure(error);
  }
}

function toSendFailure(error: unknown): SourceSendResult {
  const code = readMailServiceCode(error);
  // Without a code nobody knows whether the service took the mail, and it cannot tell a repeated one.
  if (code === undefined)
    return { ok: false, reason: "the mail service did not answer", mayBeSent: true };
  return {
    ok: false,
    reason: `the mail service refused it: ${code}`,
    ...defined({ retryAfterSeconds: toMailWaitSeconds(code) }),
    ...(PERMANENT_CODES.includes(code) ? { isPermanent: true } : {}),
    ...(UNCERTAIN_CODES.includes(code) ? { mayBeSent: true } : {}),
  };
}

/** The mail for the binding, or why it cannot be sent. */
export function buildSourceMail(
  { settings, household, source }: Omit<KindContext<EmailSourceSettings>, "env">,
  message: OutgoingMessage,
): EmailMessageBuilder | SourceSendResult {
  const { from, from_name: name } = settings;
  if (from === undefined) return failForGood("the source has no sender address: set `from`");
  const to = listRecipients(message);
  if (!to) return failForGood("a recipient is not a mail address");
  if (to.length > MAX_RECIPIENTS) return failForGood(`more than ${MAX_RECIPIENTS} recipients`);
  const bytes = message.attachments.reduce((sum, file) => sum + file.bytes.byteLength, 0);
  if (bytes * BASE64_GROWTH + message.body.length > MAX_SENT_BYTES)
    return failForGood("the mail with its files is larger than 5 MB");
  return {
    from: name === undefined ? from : { email: from, name: toAttachmentName(name) },
    to,
    ...defined({ replyTo: buildSourceAddress(settings, { household, source }) }),
    subject: buildSubject(message),
    text: message.body.toWellFormed(),
    headers: { ...buildThreadHeaders(message.answers), ...buildLoopHeaders(message) },
    attachments: message.attachments.map((file) => ({
      disposition: "attachment",
      filename: toAttachmentName(file.name),
      type: file.mime,
      content: file.bytes,
    })),
  };
}
