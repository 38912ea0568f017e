/** Tells whether two mails are the same one, delivered again. */
import type { Email } from "postal-mime";
import { hashSha256 } from "../../auth/hash.ts";
import { readSenderAuthenticity } from "../../channels/email/verify.ts";
import { buildMailId } from "../../mess/sources/mail-identity.ts";
import type { ParsedMessage } from "../source-kind.ts";

/** Servers on the way add these, so that they differ when the same mail is delivered again. */
const TRACE_HEADER_PATTERN =
  /^(?:received|received-spf|return-path|delivered-to|authentication-results|dkim-signature|x-.*|arc-.*)$/;

/**
 * Covers everything that readers see of the mail, and whether its sender is authentic: a forged copy, or one to which
 * answers go elsewhere, is another mail.
 */
export async function identifyMail(
  mail: Email,
  { sender, automatic }: Pick<ParsedMessage, "sender" | "automatic">,
  messageId: string | undefined,
  raw: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const headers = mail.headers
    .filter(({ key }) => !TRACE_HEADER_PATTERN.test(key))
    .map(({ key, value }) => [key, value]);
  const content = await hashSha256(readContent(raw));
  const authenticity = readSenderAuthenticity(mail);
  const identity = JSON.stringify([authenticity, sender, automatic ?? null, headers, content]);
  return buildMailId(messageId, await hashSha256(identity));
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The bytes after the first empty line. */
function readContent(raw: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  for (let start = 0; start < raw.length;) {
    const end = raw.indexOf(LINE_FEED, start);
    if (end === -1) break;
    if (end === start || (end === start + 1 && raw[start] === CARRIAGE_RETURN))
      return raw.subarray(end + 1);
    start = end + 1;
  }
  return raw;
}
