/** Settings of a mailbox source: an account of the owner at any provider, read by IMAP and sent from by SMTP. */
import * as z from "zod";
import { hashSha256 } from "../../auth/hash.ts";
import { emailAddressSchema } from "../../channels/email/config.ts";
import { secretSchema, shortTextSchema } from "../../channels/shared/config-fields.ts";
import { isPossibleMailServer, MAIL_SERVER_HINT } from "../../egress/egress-address.ts";
import type { Json, JsonMap } from "../../mess/json.ts";
import type { MailServer } from "./mail-connection.ts";
import { findProvider, hasPasswords } from "./providers.ts";

const IMAP_PORT = 993;
const SMTP_PORT = 465;
const portSchema = z.int().min(1).max(65_535);

const addressSchema = emailAddressSchema
  .refine(
    (address) => /^[\x21-\x7e]+$/.test(address),
    "an address in ASCII, such as ann@example.com",
  )
  .refine(hasPasswords, {
    error: "Microsoft lets no program read this mailbox by a password",
    params: { hint: "Forward its mail to a source of the kind email, or use another provider." },
  });

export const mailboxSettingsSchema = z
  .object({
    address: addressSchema,
    /** Name by which the account logs in; the address by default. */
    user: shortTextSchema.optional(),
    password: secretSchema,
    /** Shown beside the address. */
    from_name: shortTextSchema.optional(),
    folder: shortTextSchema.default("INBOX"),
    /** Where a copy of each sent mail is stored; nowhere by default, since many providers do so themselves. */
    sent_folder: shortTextSchema.optional(),
    imap_host: shortTextSchema.optional(),
    imap_port: portSchema.default(IMAP_PORT),
    /** Without it, and for an unknown provider, the source only receives. */
    smtp_host: shortTextSchema.optional(),
    smtp_port: portSchema.optional(),
  })
  .superRefine((settings, ctx) => {
    const { imap, smtp } = findServers(settings);
    if (!imap)
      ctx.addIssue({
        code: "custom",
        path: ["imap_host"],
        message: "required for this provider",
        params: {
          hint: "Set imap_host, and smtp_host to send; the provider's help pages name them.",
        },
      });
    for (const [name, server] of [
      ["imap", imap],
      ["smtp", smtp],
    ] as const)
      if (server && !isPossibleMailServer(server))
        ctx.addIssue({
          code: "custom",
          path: [
            isPossibleMailServer({ ...server, port: IMAP_PORT }) ? `${name}_port` : `${name}_host`,
          ],
          message: "not a mail server to which the exchange connects",
          params: { hint: MAIL_SERVER_HINT },
        });
  });
export type MailboxSettings = z.output<typeof mailboxSettingsSchema>;

type ServerSettings = Pick<
  MailboxSettings,
  "address" | "imap_host" | "imap_port" | "smtp_host" | "smtp_port"
>;

/** The servers that the settings name, or else those of the provider. */
export function findServers({ address, ...set }: ServerSettings): {
  imap: MailServer | undefined;
  smtp: MailServer | undefined;
} {
  const known = findProvider(address);
  const imapHost = set.imap_host ?? known?.imap_host;
  const smtpHost = set.smtp_host ?? known?.smtp_host;
  const knownPort = set.smtp_host === undefined ? known?.smtp_port : undefined;
  return {
    imap: imapHost === undefined ? undefined : { host: imapHost, port: set.imap_port },
    smtp:
      smtpHost === undefined
        ? undefined
        : { host: smtpHost, port: set.smtp_port ?? knownPort ?? SMTP_PORT },
  };
}

export const getUser = ({ user, address }: Pick<MailboxSettings, "user" | "address">): string =>
  user ?? address;

/** Checks no ports: the password is bound to hosts. */
const loginSchema = z.object({
  address: addressSchema,
  user: shortTextSchema.optional(),
  imap_host: shortTextSchema.optional(),
  smtp_host: shortTextSchema.optional(),
});

/** The hosts that get the password, and the name that logs in there. */
export function getLogin(settings: JsonMap): Json | undefined {
  const read = loginSchema.safeParse(settings);
  if (!read.success) return undefined;
  const { imap, smtp } = findServers({ ...read.data, imap_port: IMAP_PORT });
  return [imap?.host ?? null, smtp?.host ?? null, getUser(read.data)];
}

const HASH_CHARS = 16;

/** Identifies the folder whose mails were read, without naming it. */
export async function hashFolder(settings: MailboxSettings): Promise<string> {
  const { imap } = findServers(settings);
  const identity = [imap?.host, imap?.port, getUser(settings), settings.folder];
  return (await hashSha256(JSON.stringify(identity))).slice(0, HASH_CHARS);
}
