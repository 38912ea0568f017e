/**
 * Inbound mail: a member's reply to a notice becomes a message in the thread. The signed code in the reply address
 * names thread and recipient. Mail to the address of a message source goes there. Other mails are rejected during SMTP,
 * or dropped if a rejection could cause a mail loop.
 */
import type { WorkerSecret } from "../../auth/worker-secret.ts";
import { getHouseholdStub } from "../../stubs.ts";
import type { Email } from "postal-mime";
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
import { readHeaders, isAutomatic } from "../../channels/email/automatic-mail.ts";
import { htmlToText } from "../../channels/email/html-to-text.ts";
import { extractReplyText } from "../../channels/email/reply-text.ts";
import { type BounceReport, readBounceReport } from "../../channels/email/bounce-report.ts";
import {
  listMailFiles,
  MAX_MAIL_BYTES,
  type MailRefusal,
  parseMail,
  refuseLargeMail,
  refuseMail,
} from "../../channels/email/parse-mail.ts";
import { receiveSourceMail } from "./receive-source-mail.ts";

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

async function processMail(
  message: IncomingMail,
  env: EmailBindings,
): Promise<MailRefusal | undefined> {
  if (message.rawSize > MAX_MAIL_BYTES) return refuseLargeMail();
  const raw = new Uint8Array(await new Response(message.raw).arrayBuffer());
  const parsed = await parseMail(raw);
  if (parsed.refusal) return parsed.refusal;
  const { mail } = parsed;
  const { secret } = getConfig(env);
  const id = await hashSha256(mail.messageId ?? new TextDecoder("latin1").decode(raw));
  const bounce = readBounceReport(mail);
  if (bounce && (await reportBounce(env, secret, bounce, mail, message.to, id))) return undefined;
  const from = mail.from?.address;
  const codes = findReplyCodes(message.to, listCitedIds(mail));
  const code = from === undefined ? undefined : await findFirstCode(secret, codes, from);
  // A program's answer to a notice is never a message to its thread.
  if (!code || isAutomatic(mail, message.from)) {
    const received = await receiveSourceMail(env, mail, message, raw);
    if (received) return received === "received" ? undefined : received;
  }
  if (bounce) return logIgnored("report");
  if (isAutomatic(mail, message.from)) return logIgnored("automatic");
  if (codes.length === 0)
    return refuseMail("no_thread", "5.1.1 Please answer to a mail that a task came in.");
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
 * Handles a bounce of a mail to a member: the household stops using the address, and its owner sees it. False for a
 * report about any other mail.
 */
async function reportBounce(
  env: EmailBindings,
  secret: WorkerSecret,
  { address, status, isPermanent, original, messageId }: BounceReport,
  mail: Email,
  to: string,
  id: string,
): Promise<boolean> {
  const code = await findFirstCode(
    secret,
    findReplyCodes(to, `${listCitedIds(mail)} ${original}`),
    address,
  );
  if (!code) return false;
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

const listFiles = (mail: Email): RemoteFile[] =>
  listMailFiles(mail).map(({ name, mime, bytes }) => ({
    name,
    mime,
    fetch: () => Promise.resolve(ok(bytes)),
  }));
