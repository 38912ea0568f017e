/** Mail servers of known providers, by the domain of the address, so that an owner need not look them up. */

interface ProviderServers {
  imap_host: string;
  smtp_host: string;
  /** 465 by default. */
  smtp_port?: number;
}

const GMAIL: ProviderServers = { imap_host: "imap.gmail.com", smtp_host: "smtp.gmail.com" };
const ICLOUD: ProviderServers = {
  imap_host: "imap.mail.me.com",
  smtp_host: "smtp.mail.me.com",
  smtp_port: 587,
};
const FASTMAIL: ProviderServers = {
  imap_host: "imap.fastmail.com",
  smtp_host: "smtp.fastmail.com",
};

const PROVIDERS: ReadonlyMap<string, ProviderServers> = new Map([
  ["gmail.com", GMAIL],
  ["googlemail.com", GMAIL],
  ["icloud.com", ICLOUD],
  ["me.com", ICLOUD],
  ["mac.com", ICLOUD],
  ["fastmail.com", FASTMAIL],
  ["fastmail.fm", FASTMAIL],
  ["yahoo.com", { imap_host: "imap.mail.yahoo.com", smtp_host: "smtp.mail.yahoo.com" }],
  ["aol.com", { imap_host: "imap.aol.com", smtp_host: "smtp.aol.com" }],
  ["gmx.net", { imap_host: "imap.gmx.net", smtp_host: "mail.gmx.net" }],
  ["gmx.de", { imap_host: "imap.gmx.net", smtp_host: "mail.gmx.net" }],
  ["web.de", { imap_host: "imap.web.de", smtp_host: "smtp.web.de", smtp_port: 587 }],
  ["mailbox.org", { imap_host: "imap.mailbox.org", smtp_host: "smtp.mailbox.org" }],
  ["posteo.de", { imap_host: "posteo.de", smtp_host: "posteo.de" }],
]);

/** Microsoft lets programs read personal mailboxes by OAuth only, not by a password. */
const WITHOUT_PASSWORDS: readonly string[] = ["outlook.com", "hotmail.com", "live.com", "msn.com"];

export const getDomain = (address: string): string =>
  address.slice(address.lastIndexOf("@") + 1).toLowerCase();

export const findProvider = (address: string): ProviderServers | undefined =>
  PROVIDERS.get(getDomain(address));

export const hasPasswords = (address: string): boolean =>
  !WITHOUT_PASSWORDS.includes(getDomain(address));
