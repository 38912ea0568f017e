/** The account of a local mailbox, as its servers and the tests know it. */

export const ACCOUNT = { user: "ann@mess.test", password: 'pass"word\\ü' };

/** The reply of the SMTP server to the next mails; `lost` takes the mail and ends the connection without a reply. */
export type SmtpFault = "throttled" | "refused" | "lost";

export interface AccountState {
  imapPort: number;
  smtpPort: number;
  logins: number;
  /** Mails that the SMTP server took, with one character for each byte. */
  sent: { raw: string; to: string[] }[];
  folders: Record<string, { raw: string; flags: string[] }[]>;
}

declare module "vitest" {
  interface ProvidedContext {
    /** Where mailboxes are made: `POST /` returns an account, with which all further calls begin. */
    mailboxes: string;
  }
}
