/** Reads mails of a mailbox as messages. One that cannot be read is shown by its headers, with a note why. */
import type { Email } from "postal-mime";
import { readHeaders } from "../../channels/email/automatic-mail.ts";
import { parseMail } from "../../channels/email/parse-mail.ts";
import { readMail } from "../mail/read-mail.ts";
import type { ParsedMessage } from "../source-kind.ts";

interface MailPlace {
  /** Stands for a missing `Message-ID` where the mail is not read. */
  id: string;
  /** Of the mailbox. */
  address: string;
  /** Milliseconds since 1970. */
  now: number;
}

export async function readMailFromFolder(
  raw: Uint8Array<ArrayBuffer>,
  place: MailPlace,
): Promise<ParsedMessage> {
  const parsed = await parseMail(raw);
  return parsed.refusal
    ? await buildUnreadMail(cutHeader(raw), "it is broken or too complex", place)
    : await readFor(place, parsed.mail, raw);
}

/** @param header the lines above the text of the mail, or the first of them; undefined if they cannot be read either */
export async function buildUnreadMail(
  header: Uint8Array<ArrayBuffer> | undefined,
  reason: string,
  place: MailPlace,
): Promise<ParsedMessage> {
  const body = `This mail was not read, because ${reason}. Open it in your mail program.`;
  const parsed = header && (await parseMail(header));
  if (header && parsed && !parsed.refusal) {
    const message = await readFor(place, parsed.mail, header);
    const external_id = parsed.mail.messageId ? message.external_id : place.id;
    return { ...message, external_id, body, attachments: [] };
  }
  return {
    external_id: place.id,
    sender: place.address,
    recipient: place.address,
    body,
    timestamp: place.now,
    headers: [],
    channel: place.address,
    attachments: [],
    ...(header ? { raw: { mime: "text/plain", bytes: header } } : {}),
  };
}

/** The results of other servers may stand first here, so none says whether the sender is authentic. */
async function readFor(
  { address, now }: MailPlace,
  mail: Email,
  raw: Uint8Array<ArrayBuffer>,
): Promise<ParsedMessage> {
  // The receiving server writes the sender of the envelope there; it is empty for delivery reports.
  const from = readHeaders(mail, "return-path")[0]?.replaceAll(/[<>]/g, "").trim();
  const envelope = { from: from ?? mail.from?.address ?? address, to: address };
  return await readMail(mail, { ...envelope, isServerUnknown: true }, raw, now);
}

const LF = 0x0a;
const CR = 0x0d;
const MAX_HEADER_BYTES = 64 * 1024;

/** Up to the first empty line. */
function cutHeader(raw: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const start = raw.subarray(0, MAX_HEADER_BYTES);
  for (let at = start.indexOf(LF); at !== -1; at = start.indexOf(LF, at + 1)) {
    const next = start[at + 1] === CR ? at + 2 : at + 1;
    if (start[next] === LF) return start.slice(0, next + 1);
  }
  return start.slice();
}
