/**
 * Mail to a message source, from anybody: `{source}.{household}@…`. The SMTP transaction succeeds after the mail is
 * stored, so that the sender's server repeats it, or returns it, in every other case.
 */
import type { Email } from "postal-mime";
import { isKnownHousehold } from "../../auth/known-households.ts";
import { checkNotSuspended } from "../../auth/suspension.ts";
import { type MailRefusal, refuseMail } from "../../channels/email/parse-mail.ts";
import { receiveParsedMessages } from "../../exchange/source-calls/receive-parsed-messages.ts";
import type { ExchangeBindings } from "../../exchange/with-thread.ts";
import { log } from "../../log.ts";
import type { ErrorCode } from "../../mess/errors.ts";
import { parseSourceAddress } from "../../source-kinds/email/config.ts";
import { type MailEnvelope, readMail } from "../../source-kinds/mail/read-mail.ts";
import { getHouseholdStub } from "../../stubs.ts";

/** Replies to the sender's mail server. They do not say whose address it is. */
const REPLY_TEXTS: Partial<Record<ErrorCode, string>> = {
  source_disconnected: "5.2.1 This address does not accept mail at present.",
  household_suspended: "5.2.1 This address does not accept mail at present.",
  source_full: "5.2.2 This mailbox is full.",
  storage_full: "5.2.2 This mailbox is full.",
  not_found: "5.1.1 This address does not exist.",
};
const OTHER_REPLY_TEXT = "5.3.0 This mail was not accepted. Please send it again later.";

const refuseByCode = (code: ErrorCode): MailRefusal =>
  refuseMail(code, REPLY_TEXTS[code] ?? OTHER_REPLY_TEXT);

/** Undefined if the address is not that of a mail source. Throws on storage errors, so that the mail is sent again. */
export async function receiveSourceMail(
  env: ExchangeBindings,
  mail: Email,
  envelope: MailEnvelope,
  raw: Uint8Array<ArrayBuffer>,
): Promise<"received" | MailRefusal | undefined> {
  const address = parseSourceAddress(envelope.to);
  if (!address || !(await isKnownHousehold(env, address.household))) return undefined;
  const { household, source } = address;
  const opened = await getHouseholdStub(env, household).sources.openSettings(source);
  if (opened?.record.kind !== "email") return undefined;
  const active = await checkNotSuspended(env, household);
  if (!active.ok) return refuseByCode(active.error.code);
  if (opened.record.status === "disconnected") return refuseByCode("source_disconnected");
  const message = await readMail(mail, envelope, raw, Date.now());
  const received = await receiveParsedMessages(env, { household, source }, [message]);
  if (!received.ok) return refuseByCode(received.error.code);
  const [one] = received.value;
  log("source_mail", { household, source, repeated: one?.repeated === true });
  return "received";
}
