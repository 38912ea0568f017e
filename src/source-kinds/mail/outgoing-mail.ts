/** Builds the recipients, the subject and the thread headers of a mail, for every kind that sends mail. */
import { findAutomaticKind } from "../../channels/email/automatic-mail.ts";
import { defined } from "../../mess/defined.ts";
import { readMailMessageId } from "../../mess/sources/mail-identity.ts";
import { buildReplySubject, stripReplyPrefixes } from "../../mess/sources/reply-subject.ts";
import type { OutgoingMessage } from "../source-kind.ts";

export const MAX_RECIPIENTS = 50;

/** Longest `References` that the mail service accepts; programs need the first and the newest ids only. */
const MAX_REFERENCES_CHARS = 1_900;
const MAX_MESSAGE_ID_CHARS = 500;

/** A message id in brackets. Anything else could break or inject a header. */
const MESSAGE_ID_PATTERN = /^<[\x21-\x3b\x3d\x3f-\x7e]{1,498}>$/;

const isMessageId = (text: string): boolean =>
  text.length <= MAX_MESSAGE_ID_CHARS && MESSAGE_ID_PATTERN.test(text);

export interface ThreadHeaders {
  "In-Reply-To"?: string;
  References?: string;
}

/**
 * The headers by which mail programs show the reply below the message that it answers (RFC 5322, 3.6.4): that message,
 * and those before it with the oldest first. Empty if the message has no id.
 */
export function buildThreadHeaders(answers: OutgoingMessage["answers"]): ThreadHeaders {
  const id = readMailMessageId(answers?.external_id ?? "");
  if (!answers || !isMessageId(id)) return {};
  // The message names the nearest first.
  const earlier = [...new Set(answers.references)].filter((one) => isMessageId(one) && one !== id);
  const newestFirst = [id, ...earlier.slice(0, -1)];
  const oldest = earlier.at(-1);
  const kept: string[] = [];
  let size = oldest?.length ?? 0;
  for (const one of newestFirst) {
    size += one.length + 1;
    if (size > MAX_REFERENCES_CHARS) break;
    kept.unshift(one);
  }
  const references = [...(oldest === undefined ? [] : [oldest]), ...kept].join(" ");
  return { "In-Reply-To": id, References: references };
}

/** Line breaks and other control characters end or break a header. */
const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029]+/gu;
const toHeaderText = (text: string): string =>
  text.replaceAll(CONTROL_CHARACTERS, " ").trim().toWellFormed();

const NO_SUBJECT = "(no subject)";

/** One `Re:` where the mail answers another under its subject. */
export function buildSubject({ subject, answers }: OutgoingMessage): string {
  const given = subject === undefined ? undefined : toHeaderText(subject);
  if (!answers) return given || NO_SUBJECT;
  const original = toHeaderText(answers.subject ?? "");
  const isSame = given === undefined || stripReplyPrefixes(given) === stripReplyPrefixes(original);
  return (isSame ? buildReplySubject(original) : given) || NO_SUBJECT;
}

/** One address, without a name: nothing else can stand in the envelope. */
const ADDRESS_PATTERN = /^[^\s@<>(),;:"[\]\\\p{Cc}]{1,64}@[^\s@<>(),;:"[\]\\\p{Cc}]{1,255}$/u;

/** The recipients, each once; undefined if one of them is no mail address. */
export function listRecipients({ to }: OutgoingMessage): string[] | undefined {
  const unique = new Map(to.map((one) => [one.trim().toLowerCase(), one.trim()]));
  const addresses = [...unique.values()];
  return addresses.length > 0 && addresses.every((one) => ADDRESS_PATTERN.test(one))
    ? addresses
    : undefined;
}

/** A file name without characters that end a header or a quoted text. */
export const toAttachmentName = (name: string): string =>
  toHeaderText(name.replaceAll(/["\\/]/g, "_")) || "file";

/**
 * Marks the answer to a program's mail as automatic, so that no program answers it again (RFC 3834). A person's mail is
 * answered without the mark, since many ticket systems drop marked mail, and a person has approved the answer.
 */
export function buildLoopHeaders({ answers }: OutgoingMessage): { "Auto-Submitted"?: string } {
  if (!answers) return {};
  const headers = answers.headers.map(([name, value]) => ({
    key: name.toLowerCase(),
    originalKey: name,
    value,
  }));
  const mail = { headers, ...defined({ subject: answers.subject }) };
  const automatic = findAutomaticKind(mail, answers.channel);
  return automatic === undefined ? {} : { "Auto-Submitted": "auto-replied" };
}
