/** Reads a parsed mail as a message of a source. Everything in it was chosen by a stranger. */
import type { Email } from "postal-mime";
import { findAutomaticKind, readHeaders } from "../../channels/email/automatic-mail.ts";
import { htmlToText } from "../../channels/email/html-to-text.ts";
import { listMailFiles } from "../../channels/email/parse-mail.ts";
import { readSenderAuthenticity } from "../../channels/email/verify.ts";
import { defined } from "../../mess/defined.ts";
import { SOURCE_LIMITS } from "../../mess/sources/vocabulary.ts";
import type { ParsedMessage } from "../source-kind.ts";
import { identifyMail } from "./identify-mail.ts";

/** Sender and recipient of the SMTP transaction. */
export interface MailEnvelope {
  readonly from: string;
  readonly to: string;
  /** The first results in the mail may be by any server, so they say nothing about the sender. */
  readonly isServerUnknown?: true;
}

/** Says whether the receiving server vouches for the sender: `authentic`, `forged` or `unknown`. */
export const SENDER_HEADER = "X-Mess-Sender";

/** Shown first, since the number of kept headers is limited and a sender can add any number. */
const FIRST_HEADERS = [
  "from",
  "to",
  "cc",
  "reply-to",
  "subject",
  "date",
  "message-id",
  "in-reply-to",
  "references",
  "list-id",
  "list-unsubscribe",
  "auto-submitted",
  "precedence",
];

const DAY_MS = 86_400_000;
const MAX_CITED_CHARS = 16_384;

/** @param now milliseconds since 1970 */
export async function readMail(
  mail: Email,
  envelope: MailEnvelope,
  raw: Uint8Array<ArrayBuffer>,
  now: number,
): Promise<ParsedMessage> {
  const sender = mail.from?.address || envelope.from;
  const name = mail.from?.name;
  const automatic = findAutomaticKind(mail, envelope.from);
  return {
    external_id: await identifyMail(
      mail,
      { sender, ...defined({ automatic }) },
      readMessageId(mail),
      raw,
    ),
    sender,
    ...defined({ sender_name: name || undefined }),
    recipient: envelope.to,
    ...defined({ subject: mail.subject?.replaceAll(/\s+/g, " ").trim() || undefined }),
    body: readBody(mail),
    timestamp: readDate(mail, now),
    headers: readMailHeaders(mail, envelope),
    references: listReferences(mail),
    channel: findReplyAddress(mail) || sender,
    ...defined({ automatic }),
    attachments: listMailFiles(mail),
    raw: { mime: "message/rfc822", bytes: raw },
  };
}

/** The first one: a reply goes to one address. */
const findReplyAddress = ({ replyTo = [] }: Email): string | undefined =>
  replyTo.flatMap((one) => (one.address === undefined ? one.group : [one])).at(0)?.address;

const MESSAGE_ID_PATTERN = /<[^<>\s]{1,996}>/g;

const readMessageId = ({ messageId = "" }: Email): string | undefined =>
  messageId.slice(0, MAX_CITED_CHARS).match(MESSAGE_ID_PATTERN)?.[0];

/** Message ids to which the mail replies, the nearest first. */
function listReferences(mail: Email): string[] {
  const list = (name: string): string[] =>
    readHeaders(mail, name).flatMap(
      (one) => one.slice(0, MAX_CITED_CHARS).match(MESSAGE_ID_PATTERN) ?? [],
    );
  return [...new Set([...list("in-reply-to"), ...list("references").toReversed()])];
}

/** HTML is read where there is no plain text. Quoted mails stay, since a forwarded mail is one. */
function readBody({ text = "", html = "" }: Email): string {
  const plain = text.slice(0, SOURCE_LIMITS.bodyChars);
  const body = plain.trim() === "" ? htmlToText(html, { keepsQuotations: true }) : plain;
  return body.replaceAll(/\r\n?/g, "\n").trim().toWellFormed();
}

/** The time of the sender, unless it is missing or in the future. */
function readDate({ date = "" }: Email, now: number): number {
  const sent = Date.parse(date);
  return Number.isNaN(sent) || sent < 0 || sent > now + DAY_MS ? now : sent;
}

const rankHeader = (key: string): number => {
  const found = FIRST_HEADERS.indexOf(key);
  return found === -1 ? FIRST_HEADERS.length : found;
};

/** Without results that the receiving server did not add: only the first is its own. */
function readMailHeaders(
  mail: Email,
  { isServerUnknown }: MailEnvelope,
): [name: string, value: string][] {
  const ownKey = SENDER_HEADER.toLowerCase();
  const results = mail.headers.find(({ key }) => key === "authentication-results");
  const shown = mail.headers
    .filter((one) => one.key !== ownKey)
    .filter((one) => one.key !== "authentication-results" || one === results)
    .toSorted((a, b) => rankHeader(a.key) - rankHeader(b.key))
    .map(({ originalKey, value }): [string, string] => [originalKey, value]);
  return [[SENDER_HEADER, isServerUnknown ? "unknown" : readSenderAuthenticity(mail)], ...shown];
}
