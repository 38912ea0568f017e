/** Detects mail that no person wrote: automatic replies, lists, own mails. Replies to it cause loops (RFC 3834). */
import type { Email } from "postal-mime";
import type { AutomaticKind } from "../../mess/sources/vocabulary.ts";

/** All values of a header, in order. */
export const readHeaders = ({ headers }: Pick<Email, "headers">, name: string): string[] =>
  headers.filter(({ key }) => key === name).map(({ value }) => value.trim());

const ROBOT_ADDRESS_PATTERN =
  /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?)(?:[+-][^@]*)?@/i;
const AUTO_REPLY_SUBJECT_PATTERN =
  /^(?:automatic reply|auto(?:matic)?[- ]?reply|out of office|abwesenheitsnotiz|automatische antwort|respuesta automática|fuera de la oficina|réponse automatique|absence du bureau|otomatik yanıt)\b/i;

/** Headers that only automatic mail has. */
const AUTOMATIC_HEADERS = [
  "list-id",
  "list-post",
  "x-autoreply",
  "x-autorespond",
  "x-auto-reply",
  "x-loop",
];

/** Maximum characters of one header. A long `References` header has several thousand. */
const HEADER_CHARS = 16_384;

/** The headers that this module reads. Servers add others, which may have any length. */
const INSPECTED_HEADERS = [
  ...AUTOMATIC_HEADERS,
  "authentication-results",
  "auto-submitted",
  "from",
  "in-reply-to",
  "message-id",
  "precedence",
  "references",
  "subject",
  "x-auto-response-suppress",
];

/** True if an inspected header is longer than any mail program writes it: its regexes must not run on it. */
export const hasLongHeader = ({ headers }: Pick<Email, "headers">): boolean =>
  headers.some(({ key, value }) => value.length > HEADER_CHARS && INSPECTED_HEADERS.includes(key));

/** The parts of a mail that show who or what wrote it. */
type InspectedMail = Pick<Email, "headers" | "from" | "subject">;

const hasHeader = (mail: InspectedMail, name: string, value: RegExp): boolean =>
  readHeaders(mail, name).some((one) => value.test(one));

const isNullSender = (envelope: string): boolean => envelope.replaceAll(/[<>]/g, "").trim() === "";

/** @param envelope sender of the envelope; empty for delivery reports */
export function isAutomatic(mail: InspectedMail, envelope: string): boolean {
  const from = mail.from?.address ?? "";
  return (
    isNullSender(envelope) ||
    ROBOT_ADDRESS_PATTERN.test(envelope) ||
    ROBOT_ADDRESS_PATTERN.test(from) ||
    hasHeader(mail, "auto-submitted", /^(?!no\b)./i) ||
    hasHeader(mail, "precedence", /^(?:bulk|junk|list|auto[_-]?reply)\b/i) ||
    hasHeader(mail, "x-auto-response-suppress", /^(?!none\b)./i) ||
    AUTOMATIC_HEADERS.some((name) => hasHeader(mail, name, /./)) ||
    AUTO_REPLY_SUBJECT_PATTERN.test(mail.subject?.trim() ?? "")
  );
}

const BOUNCE_ADDRESS_PATTERN = /^(?:mailer-daemon|postmaster)(?:[+-][^@]*)?@/i;
const REPORT_TYPE_PATTERN = /^multipart\/report\b/i;

/**
 * Why no person wrote the mail; undefined for a person's mail.
 * @param envelope sender of the envelope; empty for delivery reports
 */
export function findAutomaticKind(
  mail: InspectedMail,
  envelope: string,
): AutomaticKind | undefined {
  const isReport = hasHeader(mail, "content-type", REPORT_TYPE_PATTERN);
  if (
    [envelope, mail.from?.address ?? ""].some((one) => BOUNCE_ADDRESS_PATTERN.test(one)) ||
    (isReport && isNullSender(envelope))
  )
    return "bounce";
  if (
    hasHeader(mail, "list-id", /./) ||
    hasHeader(mail, "list-post", /./) ||
    hasHeader(mail, "precedence", /^list\b/i)
  )
    return "list";
  if (
    isNullSender(envelope) ||
    hasHeader(mail, "auto-submitted", /^auto-(?:replied|notified)\b/i) ||
    hasHeader(mail, "precedence", /^auto[_-]?reply\b/i) ||
    ["x-autoreply", "x-autorespond", "x-auto-reply"].some((name) => hasHeader(mail, name, /./)) ||
    AUTO_REPLY_SUBJECT_PATTERN.test(mail.subject?.trim() ?? "")
  )
    return "auto_reply";
  // Newsletters without `List-Id` have a link for leaving.
  return isAutomatic(mail, envelope) || hasHeader(mail, "list-unsubscribe", /./)
    ? "bulk"
    : undefined;
}
