/** A mailbox of the owner at any provider, read by IMAP. Answers are sent by SMTP. Nothing in the mailbox is changed. */
import type { SourceKind } from "../source-kind.ts";
import { checkMailbox } from "./check.ts";
import { findServers, getLogin, type MailboxSettings, mailboxSettingsSchema } from "./config.ts";
import { pollMailbox } from "./poll.ts";
import { sendFromMailbox } from "./send.ts";

export const mailboxKind: SourceKind<MailboxSettings> = {
  settings: mailboxSettingsSchema,
  secrets: ["password"],
  getLogin,
  explainCannotSend: (settings) =>
    findServers(settings).smtp === undefined
      ? "This source has no server for sending: set `smtp_host` to send mail."
      : undefined,
  getAddress: ({ address }) => address,
  check: checkMailbox,
  send: sendFromMailbox,
  poll: pollMailbox,
  pollIntervalMs: { waiting: 60_000, idle: 5 * 60_000 },
};
