/** Detects mail that no person wrote: automatic replies, lists, own mails. Replies to it cause loops (RFC 3834). */
import type { Email } from "postal-mime";

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

/** @param envelope sender of the envelope; empty for delivery reports */
export function isAutomatic(mail: Email, envelope: string): boolean {
  const has = (name: string, value: RegExp): boolean =>
    readHeaders(mail, name).some((one) => value.test(one));
  const from = mail.from?.address ?? "";
  return (
    envelope.replaceAll(/[<>]/g, "").trim() === "" ||
    ROBOT_ADDRESS_PATTERN.test(envelope) ||
    ROBOT_ADDRESS_PATTERN.test(from) ||
    has("auto-submitted", /^(?!no\b)./i) ||
    has("precedence", /^(?:bulk|junk|list|auto[_-]?reply)\b/i) ||
    has("x-auto-response-suppress", /^(?!none\b)./i) ||
    AUTOMATIC_HEADERS.some((name) => has(name, /./)) ||
    AUTO_REPLY_SUBJECT_PATTERN.test(mail.subject?.trim() ?? "")
  );
}
