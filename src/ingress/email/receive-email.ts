/**
 * Inbound mail: a member's reply to a notice becomes a message in the thread. The signed code in the reply address
 * names thread and recipient. Other mails are rejected during SMTP, or dropped if a rejection could cause a mail loop.
 */
import type { WorkerSecret } from "../../auth/worker-secret.ts";
import { getHouseholdStub } from "../../stubs.ts";
import PostalMime, { type Attachment, type Email } from "postal-mime";
import { hashSha256 } from "../../auth/hash.ts";
import { findReplyCodes, readReplyCode, type ReplyCode } from "../../auth/links/reply-codes.ts";
import { getConfig } from "../../config.ts";
import type { ExchangeBindings } from "../../exchange/with-thread.ts";
import { log } from "../../log.ts";
import { ok } from "../../mess/result.ts";
import type { RemoteFile } from "../../channels/chat-event.ts";
import { reportDeliveryFailure } from "../webhooks/delivery-failure.ts";
import { receiveEvent } from "../webhooks/receive-chat-event.ts";
import { getRefusalText } from "../../channels/replies/reply-texts.ts";
import { isSenderAuthentic } from "../../channels/email/verify.ts";
import { hasLongHeader, readHeaders, isAutomatic } from "../../channels/email/automatic-mail.ts";
import { htmlToText } from "../../channels/email/html-to-text.ts";
import { extractReplyText } from "../../channels/email/reply-text.ts";
import { readBounceReport } from "../../channels/email/bounce-report.ts";
import { isCostlyToParse } from "./parsing-cost.ts";

/** The maximum size that Email Routing accepts. */
const MAX_MAIL_BYTES = 25 * 1024 * 1024;
const PARSE_OPTIONS = { maxNestingDepth: 32, maxHeadersSize: 128 * 1024, maxRfc822NestingDepth: 2 };

/** Parts that mail programs add, such as mail signatures; they are not files of the person. */
const IGNORED_MIMES = [
  "application/pgp-signature",
  "application/pkcs7-signature",
  "application/x-pkcs7-signature",
  "message/delivery-status",
  "message/disposition-notification",
];

export type IncomingMail = Pick<
  ForwardableEmailMessage,
  "from" | "to" | "raw" | "rawSize" | "setReject"
>;

type EmailBindings = ExchangeBindings & Parameters<typeof getConfig>[0];

/** Processes one mail. A refused mail is rejected with a reason that the sender's mail server shows. */
export async function receiveEmail(message: IncomingMail, env: EmailBindings): Promise<void> {
  const refused = await processMail(message, env);
  if (refused === undefined) return;
  log("email_refused", { reason: refused.reason });
  message.setReject(refused.replyText);
}

interface MailRefusal {
  /** For the log. */
  reason: string;
  /** An enhanced status code (RFC 3463) and a sentence. */
  replyText: string;
}

const refuseMail = (reason: string, replyText: string): MailRefusal => ({ reason, replyText });

async function processMail(
  message: IncomingMail,
  env: EmailBindings,
): Promise<MailRefusal | undefined> {
  if (message.rawSize > MAX_MAIL_BYTES)
    return refuseMail("too_large", "5.3.4 The mail is larger than 25 MB.");
  const raw = new Uint8Array(await new Response(message.raw).arrayBuffer());
  if (isCostlyToParse(raw))
    return refuseMail("too_large", "5.3.4 The mail has too many parts or lines.");
  const mail = await parseMail(raw);
  if (!mail) return refuseMail("malformed", "5.6.0 The mail cannot be read.");
  if (hasLongHeader(mail))
    return refuseMail("long_header", "5.6.0 A header of the mail is too long.");
  const { secret } = getConfig(env);
  const id = await hashSha256(mail.messageId ?? new TextDecoder("latin1").decode(raw));
  if (await handleBounce(env, secret, mail, message.to, id)) return undefined;
  if (isAutomatic(mail, message.from)) return logIgnored("automatic");
  const codes = findReplyCodes(message.to, listCitedIds(mail));
  if (codes.length === 0)
    return refuseMail("no_thread", "5.1.1 Please answer to a mail that a task came in.");
  const from = mail.from?.address;
  const code = from === undefined ? undefined : await findFirstCode(secret, codes, from);
  if (from === undefined || !code)
    return refuseMail(
      "another_sender",
      "5.7.1 Please answer from the address that the task was sent to.",
    );
  if (!isSenderAuthentic(mail))
    return refuseMail("not_authentic", "5.7.26 Your mail server does not vouch for this mail.");
  const received = await receiveEvent(env, code.household, {
    channel: "email",
    id,
    identities: [from],
    ref: code.ref,
    action: "message",
    text: extractReplyText(mail.text ?? htmlToText(mail.html ?? "")),
    files: listFiles(mail),
  });
  return received.ok
    ? undefined
    : refuseMail(received.error.code, `5.7.1 ${getRefusalText(received.error)}`);
}

function logIgnored(reason: string): undefined {
  log("email_ignored", { reason });
}

async function parseMail(raw: Uint8Array): Promise<Email | undefined> {
  try {
    return await PostalMime.parse(raw, PARSE_OPTIONS);
  } catch {
    return undefined;
  }
}

/** Message ids that the mail replies to. */
const listCitedIds = (mail: Email): string =>
  [...readHeaders(mail, "in-reply-to"), ...readHeaders(mail, "references")].join(" ");

async function findFirstCode(
  secret: WorkerSecret,
  codes: readonly string[],
  address: string,
): Promise<ReplyCode | undefined> {
  const read = await Promise.all(codes.map((code) => readReplyCode(secret, code, address)));
  return read.find((code) => code !== undefined);
}

/**
 * Handles a bounce of our mail: the household stops using the address, and its owner sees it. True for any bounce
 * report.
 */
async function handleBounce(
  env: EmailBindings,
  secret: WorkerSecret,
  mail: Email,
  to: string,
  id: string,
): Promise<boolean> {
  const returned = readBounceReport(mail);
  if (!returned) return false;
  const { address, status, isPermanent, original, messageId } = returned;
  const code = await findFirstCode(
    secret,
    findReplyCodes(to, `${listCitedIds(mail)} ${original}`),
    address,
  );
  if (!code) {
    logIgnored("report");
    return true;
  }
  const household = getHouseholdStub(env, code.household);
  const resolved = await household.contacts.resolveInbound({
    channel: "email",
    id,
    identities: [address],
    ref: code.ref,
  });
  if (resolved.ok)
    await reportDeliveryFailure(env, {
      ...code,
      executor: resolved.value.actor,
      channel: "email",
      identity: address,
      handles: messageId === undefined ? [] : [`<${messageId}>`, messageId],
      reason: `the mail came back: ${status}`,
      isPermanent,
    });
  log("email_returned", { status });
  return true;
}

const listFiles = ({ attachments }: Email): RemoteFile[] =>
  attachments
    .filter(({ mimeType }) => !IGNORED_MIMES.includes(mimeType))
    .map((attachment) => ({
      name: attachment.filename ?? `file.${attachment.mimeType.split("/")[1] ?? "bin"}`,
      mime: attachment.mimeType,
      fetch: () => Promise.resolve(ok(toBytes(attachment))),
    }));

const toBytes = ({ content }: Attachment): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
