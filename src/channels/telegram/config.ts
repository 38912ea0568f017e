/** Telegram in a `config` block: the household's bot, and the id of a chat. */
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { ChannelConfig } from "../channel.ts";
import { apiUrlSchema, secretSchema, trimIdentity } from "../shared/config-fields.ts";

const settingsSchema = z.object({
  bot_token: secretSchema,
  /** Sent by Telegram with every update. */
  webhook_secret: boundedTextSchema(256)
    .regex(/^[A-Za-z0-9_-]{1,256}$/, "letters, digits, _ and -")
    .optional(),
  api: apiUrlSchema,
});
export type TelegramSettings = z.output<typeof settingsSchema>;

export const telegramConfig = {
  settings: settingsSchema,
  address: z.union([
    z.int(),
    boundedTextSchema(LIMITS.nameChars)
      .trim()
      .regex(/^(-?\d{1,20}|@[A-Za-z]\w{3,31})$/, "a chat id such as 123456789"),
  ]),
  secrets: ["bot_token", "webhook_secret"],
  generatedSecret: "webhook_secret",
  identity: trimIdentity,
} as const satisfies ChannelConfig;
