/** Email in a `config` block: the sender of the household's mail, and an email address. */
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { ChannelConfig } from "../channel.ts";
import { trimIdentity, shortTextSchema } from "../shared/config-fields.ts";

export const emailAddressSchema = boundedTextSchema(LIMITS.emailChars)
  .trim()
  .pipe(z.email("an address such as ann@example.com"));

const settingsSchema = z.object({
  from: emailAddressSchema,
  /** Domain that receives replies; that of `from` by default. */
  reply_domain: shortTextSchema.optional(),
});
export type EmailSettings = z.output<typeof settingsSchema>;

export const emailConfig = {
  settings: settingsSchema,
  address: emailAddressSchema,
  secrets: [],
  identity: (address) => trimIdentity(address).toLowerCase(),
  binding: "SEND_EMAIL",
} as const satisfies ChannelConfig;
