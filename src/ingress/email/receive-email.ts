/**
 * Mails to the exchange: a member's answer to a mail of ours becomes a message in their thread. Which thread and whom
 * it was sent to is in the signed code that the answer carries; everything else is refused in the sender's own mail
 * server, or dropped where refusing would make a loop.
 */
import { householdStub } from "../../stubs.ts";
import PostalMime, { type Attachment, type Email } from "postal-mime";
import { sha256 } from "../../auth/hash.ts";
import { codesIn, readReplyCode, type ReplyCode } from "../../auth/links/reply-codes.ts";
import { configOf } from "../../config.ts";
import type { Stores } from "../../exchange/with-thread.ts";
import { log } from "../../log.ts";
import { ok } from "../../mess/result.ts";
import type { RemoteFile } from "../../channels/chat-event.ts";
import { neverArrived } from "../webhooks/delivery-failure.ts";
import { receive, wordsOfRefusal } from "../webhooks/receive-chat-event.ts";
import { isAuthentic } from "../../channels/email/verify.ts";
import { hasLongHeader, headersOf, isAutomatic } from "../../channels/email/automatic-mail.ts";
import { textOfHtml } from "../../channels/email/html-to-text.ts";
import { ownWords } from "../../channels/email/reply-text.ts";
import { returnedIn } from "../../channels/email/bounce-report.ts";

/** What Email Routing takes. */
const MOST_BYTES = 25 * 1024 * 1024;
const PARSING = { maxNestingDepth: 32, maxHeadersSize: 128 * 1024, maxRfc822NestingDepth: 2 };

/** Parts that mail programs add: signatures of the mail, not files of the person. */
const NO_FILES = [
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

type Bindings = Stores & Parameters<typeof configOf>[0];

/** Takes one mail in. What it cannot take it refuses with a reason that the sender's mail server shows. */
export async function receiveEmail(message: IncomingMail, env: Bindings): Promise<void> {
  const refused = await take(message, env);
  if (refused === undefined) return;
  log("email_refused", { reason: refused.reason });
  message.setReject(refused.words);
}

interface Refused {
  /** For the log. */
  reason: string;
  /** An enhanced status code (RFC 3463) and a sentence. */
  words: string;
}

const refused = (reason: string, words: string): Refused => ({ reason, words });

async function take(message: IncomingMail, env: Bindings): Promise<Refused | undefined> {
  if (message.rawSize > MOST_BYTES)
    return refused("too_large", "5.3.4 The mail is larger than 25 MB.");
  const raw = new Uint8Array(await new Response(message.raw).arrayBuffer());
  const mail = await parsed(raw);
  if (!mail) return refused("malformed", "5.6.0 The mail cannot be read.");
  if (hasLongHeader(mail)) return refused("long_header", "5.6.0 A header of the mail is too long.");
  const { secret } = configOf(env);
  const id = await sha256(mail.messageId ?? new TextDecoder("latin1").decode(raw));
  if (await takeReturned(env, secret, mail, message.to, id)) return undefined;
  if (isAutomatic(mail, message.from)) return ignored("automatic");
  const codes = codesIn(message.to, citedBy(mail));
  if (codes.length === 0)
    return refused("no_thread", "5.1.1 Please answer to a mail that a task came in.");
  const from = mail.from?.address;
  const code = from === undefined ? undefined : await firstOf(secret, codes, from);
  if (from === undefined || !code)
    return refused(
      "another_sender",
      "5.7.1 Please answer from the address that the task was sent to.",
    );
  if (!isAuthentic(mail))
    return refused("not_authentic", "5.7.26 Your mail server does not vouch for this mail.");
  const heard = await receive(env, code.household, {
    channel: "email",
    id,
    from,
    ref: code.ref,
    act: "say",
    text: ownWords(mail.text ?? textOfHtml(mail.html ?? "")),
    files: filesOf(mail),
  });
  return heard.ok
    ? undefined
    : refused(heard.error.code, `5.7.1 ${await wordsOfRefusal(env, code.household, heard.error)}`);
}

function ignored(reason: string): undefined {
  log("email_ignored", { reason });
}

async function parsed(raw: Uint8Array): Promise<Email | undefined> {
  try {
    return await PostalMime.parse(raw, PARSING);
  } catch {
    return undefined;
  }
}

/** Message ids that the mail says it answers. */
const citedBy = (mail: Email): string =>
  [...headersOf(mail, "in-reply-to"), ...headersOf(mail, "references")].join(" ");

async function firstOf(
  secret: string,
  codes: readonly string[],
  address: string,
): Promise<ReplyCode | undefined> {
  const read = await Promise.all(codes.map((code) => readReplyCode(secret, code, address)));
  return read.find((code) => code !== undefined);
}

/** A report that our mail came back: the household stops writing there, and its owner sees it. True for any report. */
async function takeReturned(
  env: Bindings,
  secret: string,
  mail: Email,
  to: string,
  id: string,
): Promise<boolean> {
  const returned = returnedIn(mail);
  if (!returned) return false;
  const { address, status, gone, original, messageId } = returned;
  const code = await firstOf(secret, codesIn(to, `${citedBy(mail)} ${original}`), address);
  if (!code) {
    ignored("report");
    return true;
  }
  const household = householdStub(env, code.household);
  const who = await household.heard({ channel: "email", id, from: address, ref: code.ref });
  if (who.ok)
    await neverArrived(env, {
      ...code,
      executor: who.value.actor,
      channel: "email",
      identity: address,
      handles: messageId === undefined ? [] : [`<${messageId}>`, messageId],
      reason: `the mail came back: ${status}`,
      gone,
    });
  log("email_returned", { status });
  return true;
}

const filesOf = ({ attachments }: Email): RemoteFile[] =>
  attachments
    .filter(({ mimeType }) => !NO_FILES.includes(mimeType))
    .map((attachment) => ({
      name: attachment.filename ?? `file.${attachment.mimeType.split("/")[1] ?? "bin"}`,
      mime: attachment.mimeType,
      fetch: () => Promise.resolve(ok(bytesOf(attachment))),
    }));

const bytesOf = ({ content }: Attachment): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
