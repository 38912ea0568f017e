/** Parses the bytes of a mail within limits of its size, parts and headers, as far as its sender can choose them. */
import PostalMime, { type Attachment, type Email } from "postal-mime";
import { hasLongHeader } from "./automatic-mail.ts";
import { isCostlyToParse } from "./parsing-cost.ts";

/** The maximum size that Email Routing accepts. */
export const MAX_MAIL_BYTES = 25 * 1024 * 1024;
const PARSE_OPTIONS = { maxNestingDepth: 32, maxHeadersSize: 128 * 1024, maxRfc822NestingDepth: 2 };

/** Why a mail is not read: a code for the log, and what the sender's mail server shows. */
export interface MailRefusal {
  reason: string;
  /** An enhanced status code (RFC 3463) and a sentence. */
  replyText: string;
}

export const refuseMail = (reason: string, replyText: string): MailRefusal => ({
  reason,
  replyText,
});

export const refuseLargeMail = (): MailRefusal =>
  refuseMail("too_large", "5.3.4 The mail is larger than 25 MB.");

/** Broken MIME is read as far as possible. */
export async function parseMail(
  raw: Uint8Array,
): Promise<{ mail: Email; refusal?: undefined } | { refusal: MailRefusal }> {
  if (raw.byteLength > MAX_MAIL_BYTES) return { refusal: refuseLargeMail() };
  if (isCostlyToParse(raw))
    return { refusal: refuseMail("too_large", "5.3.4 The mail has too many parts or lines.") };
  let mail: Email;
  try {
    mail = await PostalMime.parse(raw, PARSE_OPTIONS);
  } catch {
    return { refusal: refuseMail("malformed", "5.6.0 The mail cannot be read.") };
  }
  return hasLongHeader(mail)
    ? { refusal: refuseMail("long_header", "5.6.0 A header of the mail is too long.") }
    : { mail };
}

/** Parts that mail programs add, such as mail signatures; they are not files of the person. */
const IGNORED_MIMES = [
  "application/pgp-signature",
  "application/pkcs7-signature",
  "application/x-pkcs7-signature",
  "message/delivery-status",
  "message/disposition-notification",
];

export interface MailFile {
  name: string;
  mime: string;
  bytes: Uint8Array;
}

/** The files of the mail, with those that its text shows. */
export const listMailFiles = ({ attachments }: Email): MailFile[] =>
  attachments
    .filter(({ mimeType }) => !IGNORED_MIMES.includes(mimeType))
    .map((attachment) => ({
      name: attachment.filename ?? `file.${attachment.mimeType.split("/")[1] ?? "bin"}`,
      mime: attachment.mimeType,
      bytes: toBytes(attachment),
    }));

const toBytes = ({ content }: Attachment): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
