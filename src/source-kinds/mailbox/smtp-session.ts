/** A session with a server for mail submission (RFC 6409): encryption, login, and one mail. */
import { encodeBase64 } from "../../bytes.ts";
import { type MailConnection, MailServerError } from "./mail-connection.ts";

export interface SmtpEnvelope {
  from: string;
  to: readonly string[];
}

interface Reply {
  code: number;
  lines: string[];
}

const MAX_REPLY_LINES = 100;
/** Until a server that refuses for the time being is asked again. */
const RETRY_SECONDS = 60;
/** The name of the client, as for programs without a public name (RFC 5321, 4.1.3). */
const CLIENT_NAME = "[127.0.0.1]";
const BYTES_PER_WRITE = 64 * 1024;

const encodeText = (text: string): string => encodeBase64(new TextEncoder().encode(text));

export class SmtpSession {
  readonly #connection: MailConnection;
  #extensions: readonly string[] = [];
  #isHandedOver = false;

  private constructor(connection: MailConnection) {
    this.#connection = connection;
  }

  /** True once the server had the whole mail: it may be sent even if the session fails afterwards. */
  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  /** Reads the greeting, and begins encryption where the port is for STARTTLS. */
  static async open(connection: MailConnection): Promise<SmtpSession> {
    const session = new SmtpSession(connection);
    const { host } = connection;
    await session.#expect(220, `${host} takes no mail: check smtp_host and smtp_port`);
    await session.#greet();
    if (connection.canStartTls) {
      const reason = `${host} does not encrypt on this port: set smtp_port to 465`;
      await session.#run("STARTTLS", 220, reason);
      connection.startTls();
      await session.#greet();
    }
    return session;
  }

  async #greet(): Promise<void> {
    const reason = `${this.#connection.host} takes no mail: check smtp_host and smtp_port`;
    const { lines } = await this.#run(`EHLO ${CLIENT_NAME}`, 250, reason);
    this.#extensions = lines.slice(1).map((line) => line.toUpperCase());
  }

  async logIn(user: string, password: string): Promise<void> {
    const { host } = this.#connection;
    const methods = this.#extensions.find((one) => /^AUTH[ =]/.test(one)) ?? "";
    const reason = `${host} refuses the user name or the password: check user and password; many providers need an app password`;
    if (/[ =]PLAIN\b/.test(methods)) {
      await this.#run(`AUTH PLAIN ${encodeText(`\0${user}\0${password}`)}`, 235, reason);
    } else if (/[ =]LOGIN\b/.test(methods)) {
      await this.#run("AUTH LOGIN", 334, reason);
      await this.#run(encodeText(user), 334, reason);
      await this.#run(encodeText(password), 235, reason);
    } else {
      const offer = `${host} offers no login by password: use a provider with app passwords`;
      throw new MailServerError(offer, { isPermanent: true });
    }
  }

  /** @param mail ASCII with CRLF at the end of each line */
  async send({ from, to }: SmtpEnvelope, mail: Uint8Array): Promise<void> {
    const { host } = this.#connection;
    await this.#run(`MAIL FROM:<${from}>`, 250, `${host} refuses the sender: check address`);
    // All or none: the owner has approved one mail to all of them.
    for (const one of to)
      await this.#run(`RCPT TO:<${one}>`, 250, `${host} refuses one of the recipients`);
    await this.#run("DATA", 354, `${host} refuses the mail`);
    const stuffed = stuffDots(mail);
    for (let at = 0; at < stuffed.length; at += BYTES_PER_WRITE)
      await this.#connection.write(stuffed.subarray(at, at + BYTES_PER_WRITE));
    this.#isHandedOver = true;
    await this.#run(".", 250, `${host} refuses the mail`, () => {
      this.#isHandedOver = false;
    });
  }

  async logOut(): Promise<void> {
    await this.#connection.write("QUIT\r\n");
  }

  async #run(
    command: string,
    expected: number,
    reason: string,
    onRefusal?: () => void,
  ): Promise<Reply> {
    await this.#connection.write(`${command}\r\n`);
    return await this.#expect(expected, reason, onRefusal);
  }

  /** Throws where the server answers something else. Its own words are not shown: anybody could have written them. */
  async #expect(expected: number, reason: string, onRefusal?: () => void): Promise<Reply> {
    const reply = await this.#readReply();
    // 251: the recipient is elsewhere, and the server forwards.
    if (reply.code === expected || (expected === 250 && reply.code === 251)) return reply;
    onRefusal?.();
    throw new MailServerError(
      `${reason} (${reply.code})`,
      reply.code >= 500 ? { isPermanent: true } : { retryAfterSeconds: RETRY_SECONDS },
    );
  }

  async #readReply(): Promise<Reply> {
    const lines: string[] = [];
    while (lines.length < MAX_REPLY_LINES) {
      const line = await this.#connection.readLine();
      const [, code, separator] = /^(\d{3})([ -]|$)/.exec(line) ?? [];
      if (code === undefined) break;
      lines.push(line.slice(4));
      if (separator !== "-") return { code: Number(code), lines };
    }
    throw new MailServerError(
      `${this.#connection.host} is not a server for sending mail: check smtp_host and smtp_port`,
    );
  }
}

const DOT = 0x2e;
const LF = 0x0a;

/** Doubles a dot at the beginning of a line, since a line with only a dot ends the mail. */
function stuffDots(mail: Uint8Array): Uint8Array {
  const isFirst = (index: number) => mail[index] === DOT && (index === 0 || mail[index - 1] === LF);
  let count = 0;
  for (let at = mail.indexOf(DOT); at !== -1; at = mail.indexOf(DOT, at + 1))
    if (isFirst(at)) count += 1;
  if (count === 0) return mail;
  const stuffed = new Uint8Array(mail.length + count);
  let to = 0;
  for (let at = 0; at < mail.length; at++) {
    if (isFirst(at)) stuffed[to++] = DOT;
    stuffed[to++] = mail[at]!;
  }
  return stuffed;
}
