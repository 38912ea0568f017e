/**
 * Both mail bindings of the Worker: sent mail is checked as by Cloudflare's Email Service, and people reply in the
 * formats of their mail programs.
 */
import { defined } from "../../../src/mess/defined.ts";
import { type Fault, FaultQueue } from "../fault-injection.ts";

/** The mail that the Worker passes to `SEND_EMAIL`. */
export interface SentMail {
  readonly from: { email: string; name: string };
  readonly to: string;
  readonly replyTo: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The `Message-ID` that the service gave it. */
  readonly messageId?: string;
  readonly attachments?: readonly { filename: string; type: string; content: Uint8Array }[];
}

export interface Answer {
  readonly from?: string;
  readonly text?: string;
  readonly html?: string;
  readonly files?: readonly {
    readonly name: string;
    readonly type: string;
    readonly bytes: Uint8Array;
    /** Shown within the text, like pasted images. */
    readonly inline?: true;
  }[];
  readonly messageId?: string;
  /** Further headers of the mail; an empty value removes the default header. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The old mail, quoted below. */
  readonly quote?: boolean;
}

/** An inbound mail for the Worker. */
export interface Delivered {
  readonly from: string;
  readonly to: string;
  readonly raw: string;
}

/** Headers that a sender may set; all others are set by the service. */
const ALLOWED = ["in-reply-to", "references", "auto-submitted"];

class MailRefusal extends Error {
  readonly code: string;
  constructor(code: string) {
    super(`refused: ${code}`);
    this.code = code;
  }
}

/** The binding takes an address or a list of them, and fields may be left out. */
function normalize(given: unknown): SentMail {
  const mail = given as Omit<SentMail, "to" | "from"> & {
    to: string | string[];
    from: string | SentMail["from"];
  };
  const from = typeof mail.from === "string" ? { email: mail.from, name: "" } : mail.from;
  return {
    ...mail,
    from,
    to: [mail.to].flat().join(", "),
    replyTo: mail.replyTo ?? from.email,
    headers: mail.headers ?? {},
  };
}

export function createPostOffice({
  suppressed: given = [],
}: { suppressed?: readonly string[] } = {}) {
  const suppressed = new Set(given);
  const messages: SentMail[] = [];
  const faults = new FaultQueue();
  const codes: string[] = [];
  let losing = 0;
  let isSilent = false;

  async function send(given: unknown): Promise<{ messageId: string }> {
    if (isSilent) return await new Promise(() => undefined);
    const mail = normalize(given);
    const code = codes.shift();
    if (code !== undefined) throw new MailRefusal(code);
    if (faults.take()) throw new Error("the service fell over");
    const recipients = mail.to.split(", ");
    if (recipients.some((one) => !/^[^@\s]+@[^@\s]+$/.test(one)) || mail.subject === "")
      throw new MailRefusal("E_VALIDATION_ERROR");
    if (recipients.length > 50) throw new MailRefusal("E_TOO_MANY_RECIPIENTS");
    for (const [name, value] of Object.entries(mail.headers)) {
      if (!ALLOWED.includes(name.toLowerCase())) throw new MailRefusal("E_HEADER_NOT_ALLOWED");
      if (/[\r\n]/.test(value) || value === "") throw new MailRefusal("E_HEADER_VALUE_INVALID");
      if (value.length > 2_048) throw new MailRefusal("E_HEADER_VALUE_TOO_LONG");
    }
    if (/[\r\n]/.test(mail.subject + mail.replyTo)) throw new MailRefusal("E_VALIDATION_ERROR");
    if (mail.replyTo.indexOf("@") > 64) throw new MailRefusal("E_VALIDATION_ERROR");
    if (recipients.some((one) => suppressed.has(one)))
      throw new MailRefusal("E_RECIPIENT_SUPPRESSED");
    const messageId = `<${messages.length + 1}.${crypto.randomUUID()}@service.test>`;
    messages.push({ ...mail, messageId });
    if (losing-- > 0) throw new Error("the answer was lost");
    losing = 0;
    return { messageId };
  }

  return {
    messages,
    /** The binding `SEND_EMAIL`. */
    binding: { send },
    /** The next mails are refused with these codes of the service. */
    refuse: (...next: string[]): void => void codes.push(...next),
    fail: (...next: Fault[]): void => faults.add(...next),
    outage: faults.outage,
    endOutage: faults.endOutage,
    /** The next mail is sent, but its response is lost. */
    loseAnswer: (): void => void losing++,
    /** From now on the service never responds. */
    silence: (): void => {
      isSilent = true;
    },
    /** Adds the address to the suppression list after a bounce. */
    suppress: (address: string): void => void suppressed.add(address),
    act: { answer: buildReply, bounce: buildBounce },
  };
}

const encodeBase64 = (bytes: Uint8Array): string => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return (btoa(text).match(/.{1,76}/g) ?? []).join("\r\n");
};
const encodeUtf8 = (text: string): string => encodeBase64(new TextEncoder().encode(text));

/** A mail as a mail program writes it. */
export function buildMail({
  from,
  to,
  subject,
  text = "",
  html,
  headers: more = {},
  files = [],
}: Pick<Answer, "text" | "html" | "headers" | "files"> & {
  from: string;
  to: string;
  subject: string;
}): Delivered {
  const headers = {
    From: `Somebody <${from}>`,
    To: to,
    Subject: subject,
    Date: "Sat, 05 Apr 2031 10:05:00 +0000",
    "Message-ID": `<${crypto.randomUUID()}@mail.example>`,
    "MIME-Version": "1.0",
    ...more,
  };
  const head = Object.entries(headers)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}: ${value}`);
  const buildPart = (type: string, body: string, more: string[] = []): string =>
    [`Content-Type: ${type}`, "Content-Transfer-Encoding: base64", ...more, "", body].join("\r\n");
  const body = buildPart(
    html === undefined ? "text/plain; charset=utf-8" : "text/html; charset=utf-8",
    encodeUtf8(html ?? text),
  );
  const parts = files.map(({ name, type, bytes, inline }) =>
    buildPart(`${type}; name="${name}"`, encodeBase64(bytes), [
      `Content-Disposition: ${inline ? "inline" : "attachment"}; filename="${name}"`,
      ...(inline ? [`Content-ID: <${name}>`] : []),
    ]),
  );
  const raw =
    parts.length === 0
      ? [...head, body].join("\r\n")
      : [
          ...head,
          'Content-Type: multipart/mixed; boundary="b1"',
          "",
          ...[body, ...parts].flatMap((one) => ["--b1", one]),
          "--b1--",
          "",
        ].join("\r\n");
  return { from, to, raw };
}

/** The reply that the member's mail program sends. */
export function buildReply(mail: SentMail, answer: Answer = {}): Delivered {
  const { from = mail.to, text = "", quote = true, files = [], html, messageId, headers } = answer;
  const old = mail.text.split("\n").map((line) => `> ${line}`);
  const introduction = `On Sat, Apr 5, 2031 at 10:00 AM MESS <${mail.from.email}> wrote:`;
  return buildMail({
    from,
    to: mail.replyTo,
    subject: `Re: ${mail.subject}`,
    text: quote ? [text, "", introduction, "", ...old].join("\r\n") : text,
    ...defined({ html }),
    files,
    headers: {
      ...defined({ "Message-ID": messageId }),
      "In-Reply-To": mail.headers["In-Reply-To"] ?? "",
      References: mail.headers["References"] ?? "",
      ...headers,
    },
  });
}

/**
 * The report of a mail server that could not deliver the mail.
 * @param messageId the quoted message id; default: the mail's own; none if empty
 */
export function buildBounce(
  mail: SentMail,
  status = "5.1.1",
  { to = mail.replyTo, messageId = mail.messageId ?? "" } = {},
): Delivered {
  const raw = [
    "From: MAILER-DAEMON@mail.example",
    `To: ${to}`,
    "Subject: Undelivered Mail Returned to Sender",
    "Auto-Submitted: auto-replied",
    `Message-ID: <${crypto.randomUUID()}@mail.example>`,
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b1"',
    "",
    "--b1",
    "Content-Type: text/plain",
    "",
    "Your mail could not be delivered.",
    "--b1",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mail.example",
    "",
    `Final-Recipient: rfc822; ${mail.to}`,
    `Action: ${status.startsWith("4") ? "delayed" : "failed"}`,
    `Status: ${status}`,
    "",
    "--b1",
    "Content-Type: text/rfc822-headers",
    "",
    `To: ${mail.to}`,
    `Reply-To: ${mail.replyTo}`,
    `References: ${mail.headers["References"]}`,
    ...(messageId === "" ? [] : [`Message-ID: ${messageId}`]),
    "",
    "--b1--",
    "",
  ].join("\r\n");
  return { from: "", to, raw };
}
