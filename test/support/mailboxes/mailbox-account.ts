/** An account with an IMAP server (hoodiecrow) and an SMTP server (smtp-server) of its own on this machine. */
import type { AddressInfo, Server } from "node:net";
import createImapServer from "hoodiecrow-imap";
import { SMTPServer } from "smtp-server";
import { ACCOUNT, type AccountState, type SmtpFault } from "./account.ts";

const FOLDERS = ["INBOX", "Sent", "Gel&APY-scht"];

const getPort = (server: Server): number => (server.address() as AddressInfo).port;

export class MailboxAccount {
  readonly #imap = createImapServer({
    // Passwords arrive as bytes.
    users: { [ACCOUNT.user]: { password: Buffer.from(ACCOUNT.password).toString("binary") } },
    storage: {
      INBOX: {},
      "": { folders: Object.fromEntries(FOLDERS.slice(1).map((name) => [name, {}])) },
    },
  });
  readonly #smtp = this.#createSmtpServer();
  readonly #sent: AccountState["sent"] = [];
  #logins = 0;
  fault: SmtpFault | undefined;

  static async start(): Promise<MailboxAccount> {
    const account = new MailboxAccount();
    await new Promise<void>((resolve) => account.#imap.listen(0, "127.0.0.1", resolve));
    await new Promise<void>((resolve) => account.#smtp.listen(0, "127.0.0.1", resolve));
    const logIn = account.#imap.getCommandHandler("LOGIN");
    account.#imap.setCommandHandler("LOGIN", (...call) => {
      account.#logins += 1;
      logIn(...call);
    });
    return account;
  }

  #createSmtpServer(): SMTPServer {
    const server: SMTPServer = new SMTPServer({
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      logger: false,
      onAuth: ({ username, password }, _session, done) =>
        username === ACCOUNT.user && password === ACCOUNT.password
          ? done(null, { user: username })
          : done(Object.assign(new Error("wrong password"), { responseCode: 535 })),
      onRcptTo: (_address, _session, done) => {
        const responseCode = { throttled: 451, refused: 550, lost: undefined }[
          this.fault ?? "lost"
        ];
        const isRefused = this.fault === "throttled" || this.fault === "refused";
        done(isRefused ? Object.assign(new Error("not now"), { responseCode }) : undefined);
      },
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          const to = envelope.rcptTo.map(({ address }) => address);
          this.#sent.push({ raw: Buffer.concat(chunks).toString("binary"), to });
          if (this.fault === "lost") for (const one of server.connections) one.close();
          else done();
        });
      },
    });
    server.on("error", () => undefined);
    return server;
  }

  deliver(raw: string): void {
    this.#imap.appendMessage(this.#imap.getMailbox("INBOX")!, [], new Date(), raw);
  }

  /** As after a restore of the server: every mail gets a new number. */
  renumber(): void {
    const inbox = this.#imap.getMailbox("INBOX")!;
    inbox.uidvalidity += 1;
    inbox.uidnext = 1;
    for (const mail of inbox.messages) mail.uid = inbox.uidnext++;
  }

  describe(): AccountState {
    const folders = FOLDERS.map((name) => {
      const { messages } = this.#imap.getMailbox(name)!;
      return [name, messages.map(({ raw, flags }) => ({ raw, flags }))];
    });
    return {
      imapPort: getPort(this.#imap.server),
      smtpPort: getPort(this.#smtp.server),
      logins: this.#logins,
      sent: this.#sent,
      folders: Object.fromEntries(folders) as AccountState["folders"],
    };
  }

  stop(): void {
    this.#imap.close(() => undefined);
    this.#smtp.close();
  }
}
