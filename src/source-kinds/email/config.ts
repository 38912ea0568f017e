/** Settings of a mail source, and its address `{source}.{household}@{domain}`. */
import * as z from "zod";
import { emailAddressSchema } from "../../channels/email/config.ts";
import { shortTextSchema } from "../../channels/shared/config-fields.ts";
import type { AddressParts } from "../source-kind.ts";

/** A name of a domain; the mail service checks that it is one of the account. */
const domainSchema = shortTextSchema.regex(
  /^[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,10}$/,
  "a domain such as example.com",
);

export const emailSettingsSchema = z.object({
  /** Sender of replies; without it the source only receives. */
  from: emailAddressSchema.optional(),
  /** Shown beside `from`. */
  from_name: shortTextSchema.optional(),
  /** Domain that receives the source's mail; that of `from` by default. */
  reply_domain: domainSchema.optional(),
});
export type EmailSourceSettings = z.output<typeof emailSettingsSchema>;

/** The address to which people write; undefined where the settings name no domain. */
export function buildSourceAddress(
  { from, reply_domain }: EmailSourceSettings,
  { household, source }: Pick<AddressParts, "household" | "source">,
): string | undefined {
  const domain = reply_domain ?? from?.slice(from.lastIndexOf("@") + 1);
  return domain === undefined ? undefined : `${source}.${household}@${domain.toLowerCase()}`;
}

/** Longest part of an address before the @ (RFC 5321, 4.5.3.1.1). */
const MAX_LOCAL_PART_CHARS = 64;

export const getMaxMailSourceNameChars = (household: string): number =>
  MAX_LOCAL_PART_CHARS - `.${household}`.length;

/** Also with a suffix such as `+shop`, which people add to tell apart where they gave the address. */
const ADDRESS_PATTERN = /^([a-z][a-z0-9-]{0,31})\.([a-z0-9-]{1,63})(?:\+[^@\s]{0,64})?@/;

/** The source and household that an address names; neither needs to exist. */
export function parseSourceAddress(
  address: string,
): { source: string; household: string } | undefined {
  const [, source, household] = ADDRESS_PATTERN.exec(address.trim().toLowerCase()) ?? [];
  return source === undefined || household === undefined ? undefined : { source, household };
}
