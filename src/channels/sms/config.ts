/** SMS in a `config` block: the household's account at Twilio, and a phone number. */
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { ChannelConfig } from "../channel.ts";
import {
  apiUrlSchema,
  secretSchema,
  trimIdentity,
  shortTextSchema,
} from "../shared/config-fields.ts";

/** Characters that people write between the digits of a phone number. */
const SEPARATOR_PATTERN = /[\s().-]/g;

const phoneSchema = boundedTextSchema(LIMITS.phoneChars)
  .transform((text) => text.replaceAll(SEPARATOR_PATTERN, ""))
  .pipe(
    boundedTextSchema(LIMITS.phoneChars).regex(
      /^\+[1-9]\d{6,14}$/,
      "a number such as +390612345678",
    ),
  );

const settingsSchema = z
  .object({
    account_sid: shortTextSchema,
    auth_token: secretSchema,
    from: shortTextSchema.optional(),
    messaging_service_sid: shortTextSchema.optional(),
    api: apiUrlSchema,
  })
  .refine(
    (settings) => settings.from !== undefined || settings.messaging_service_sid !== undefined,
    { path: ["from"], error: "give from or messaging_service_sid" },
  );
export type SmsSettings = z.output<typeof settingsSchema>;

/** The value of the header `Authorization` for calls to the API of Twilio. */
export const getTwilioAuthorization = ({ account_sid, auth_token }: SmsSettings): string =>
  `Basic ${btoa(`${account_sid}:${auth_token}`)}`;

export const smsConfig = {
  settings: settingsSchema,
  address: phoneSchema,
  secrets: ["auth_token"],
  identity: (address) => trimIdentity(address).replaceAll(SEPARATOR_PATTERN, ""),
} as const satisfies ChannelConfig;
