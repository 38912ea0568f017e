/** A mailbox at a local provider with real servers for IMAP and SMTP, which the global setup runs. */
import PostalMime from "postal-mime";
import { expect, inject, vi } from "vitest";
import { type AccountState, ACCOUNT } from "../../support/mailboxes/account.ts";
import { buildMail } from "../../support/channels/mail.ts";
import type { Delivery, LocalProvider, LocalSource, SentMessage } from "./local-source.ts";
import { pollNow } from "./poll-now.ts";
import { fetchReally } from "../real-fetch.ts";

const HOST = "127.0.0.1";

export class LocalMailbox {
  readonly #path: string;
  readonly settings: Record<string, unknown>;

  private constructor({ id, imapPort, smtpPort }: AccountState & { id: number }) {
    this.#path = `${inject("mailboxes")}/${id}`;
    this.settings = {
      address: ACCOUNT.user,
      password: ACCOUNT.password,
      imap_host: HOST,
      imap_port: imapPort,
      smtp_host: HOST,
      smtp_port: smtpPort,
    };
  }

  static async create(): Promise<LocalMailbox> {
    const response = await fetchReally(`${inject("mailboxes")}/`, { method: "POST" });
    return new LocalMailbox(await response.json());
  }

  async #call(action: string, body: BodyInit = ""): Promise<AccountState> {
    const response = await fetchReally(`${this.#path}/${action}`, { method: "POST", body });
    return await response.json();
  }

  read = (): Promise<AccountState> => this.#call("state");
  deliverRaw = (raw: string | Uint8Array): Promise<AccountState> =>
    this.#call("mails", typeof raw === "string" ? raw : raw.slice());
  renumber = (): Promise<AccountState> => this.#call("renumber");
  setFault = (fault: string): Promise<AccountState> => this.#call("fault", fault);

  deliver = ({ id, subject, text, file }: Delivery): Promise<AccountState> =>
    this.deliverRaw(
      buildMail({
        to: ACCOUNT.user,
        from: "ann@elsewhere.example",
        subject,
        text,
        headers: { "Message-ID": `<${id}@elsewhere.example>` },
        files: file ? [{ name: file.name, type: file.mime, bytes: file.bytes }] : [],
      }).raw,
    );

  async listSent(): Promise<SentMessage[]> {
    const { sent } = await this.read();
    return await Promise.all(
      sent.map(async ({ raw }) => {
        const { subject = "", text = "", attachments } = await PostalMime.parse(toBytes(raw));
        return {
          subject,
          text: text.trim(),
          files: attachments.map(({ filename, content }) => ({
            name: filename ?? "",
            bytes: new Uint8Array(content as ArrayBuffer),
          })),
        };
      }),
    );
  }
}

const toBytes = (raw: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(raw, (character) => character.charCodeAt(0));

export async function createMailboxProvider(given?: LocalMailbox): Promise<LocalProvider> {
  const mailbox = given ?? (await LocalMailbox.create());
  return {
    settings: mailbox.settings,
    invalid: { settings: { ...mailbox.settings, imap_host: "printer.local" }, path: "imap_host" },
    secrets: [ACCOUNT.password],
    hasFiles: true,
    waitForPoll: () =>
      // The check of the settings logs in as well.
      vi.waitFor(async () => expect((await mailbox.read()).logins).toBeGreaterThan(1), 20_000),
    deliver: async (message: Delivery, source: LocalSource) => {
      const { logins } = await mailbox.deliver(message);
      await pollNow(source);
      return (await mailbox.read()).logins > logins;
    },
    listSent: () => mailbox.listSent(),
    throttle: async () => {
      await mailbox.setFault("throttled");
      return 60;
    },
    refuse: async () => void (await mailbox.setFault("refused")),
    breakConnection: async () => void (await mailbox.setFault("lost")),
  };
}
