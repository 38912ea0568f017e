/** Sends mails of a mailbox by its SMTP server, and stores a copy in a folder if the owner wants one. */
import { hashSha256 } from "../../auth/hash.ts";
import { defined } from "../../mess/defined.ts";
import { log } from "../../log.ts";
import { buildMail } from "../mail/build-mail.ts";
import { failForGood } from "../fail-for-good.ts";
import {
  buildLoopHeaders,
  buildSubject,
  buildThreadHeaders,
  listRecipients,
  MAX_RECIPIENTS,
  toAttachmentName,
} from "../mail/outgoing-mail.ts";
import type {
  KindContext,
  KindFailure,
  OutgoingMessage,
  SourceSendResult,
} from "../source-kind.ts";
import { findServers, getUser, type MailboxSettings } from "./config.ts";
import { withMailServer } from "./mail-connection.ts";
import { getDomain } from "./providers.ts";
import { SmtpSession } from "./smtp-session.ts";
import { type MailboxContext, withMailbox } from "./with-mailbox.ts";

/** Most providers take mails of 25 MB, in which files have a third more than their bytes. */
const MAX_SENT_BYTES = 10 * 1024 * 1024;
/** The mail and its copy together must end before the outbox counts the attempt as cut short. */
const SEND_TIMEOUT_MS = 25_000;
const COPY_TIMEOUT_MS = 10_000;
const HASH_CHARS = 32;
const ASCII_PATTERN = /^[\x21-\x7e]+$/;

export async function sendFromMailbox(
  context: KindContext<MailboxSettings>,
  message: OutgoingMessage,
): Promise<SourceSendResult> {
  const { settings, egress, now } = context;
  const { address, from_name: name } = settings;
  const to = listRecipients(message);
  if (!to) return failForGood("a recipient is not a mail address");
  if (!to.every((one) => ASCII_PATTERN.test(one)))
    return failForGood("a recipient's address has other characters than ASCII");
  if (to.length > MAX_RECIPIENTS) return failForGood(`more than ${MAX_RECIPIENTS} recipients`);
  const size = message.attachments.reduce((sum, file) => sum + file.bytes.byteLength, 0);
  if (size > MAX_SENT_BYTES) return failForGood("the files are larger than 10 MB");
  const messageId = await buildMessageId(context, message.key);
  const mail = buildMail({
    from: {
      address,
      ...defined({ name: name === undefined ? undefined : toAttachmentName(name) }),
    },
    to,
    subject: buildSubject(message),
    messageId,
    date: now,
    headers: { ...buildThreadHeaders(message.answers), ...buildLoopHeaders(message) },
    text: message.body.toWellFormed(),
    attachments: message.attachments,
  });
  const sent = await submit({ settings, egress }, to, mail);
  if (!sent.ok) return sent;
  await storeCopy({ settings, egress }, mail);
  return { ok: true, external_id: messageId };
}

/** The same at each attempt, so that mail programs show a repeated mail once. */
async function buildMessageId(
  { household, source, settings }: KindContext<MailboxSettings>,
  key: string,
): Promise<string> {
  const hash = await hashSha256(JSON.stringify([household, source, key]));
  return `<mess.${hash.slice(0, HASH_CHARS)}@${getDomain(settings.address)}>`;
}

type Submission = { ok: true } | ({ ok: false; mayBeSent?: true } & KindFailure);

async function submit(
  { settings, egress }: MailboxContext,
  to: readonly string[],
  mail: Uint8Array,
): Promise<Submission> {
  const server = findServers(settings).smtp;
  if (!server) return { ok: false, reason: "the source has no smtp_host", isPermanent: true };
  let session: SmtpSession | undefined;
  const sent = await withMailServer(
    egress,
    { server, field: "smtp_host and smtp_port", timeoutMs: SEND_TIMEOUT_MS },
    async (connection) => {
      session = await SmtpSession.open(connection);
      await session.logIn(getUser(settings), settings.password);
      await session.send({ from: settings.address, to }, mail);
      // The server has the mail, whatever it says to this.
      await session.logOut().catch(() => undefined);
    },
  );
  if (sent.ok) return { ok: true };
  return session?.isHandedOver ? { ...sent, mayBeSent: true } : sent;
}

/** The mail is sent: a copy that cannot be stored must not make it fail. */
async function storeCopy({ settings, egress }: MailboxContext, mail: Uint8Array): Promise<void> {
  const folder = settings.sent_folder;
  if (folder === undefined) return;
  const stored = await withMailbox({ settings, egress }, COPY_TIMEOUT_MS, (session) =>
    session.append(folder, mail),
  );
  if (!stored.ok) log("mail_copy_failed");
}
