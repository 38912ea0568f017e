/** Slack in a `config` block: the household's app, and the id of a member or channel. */
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { ChannelConfig } from "../channel.ts";
import { apiUrlSchema, secretSchema, trimIdentity } from "../shared/config-fields.ts";

const settingsSchema = z.object({
  bot_token: secretSchema,
  /** Verifies replies and taps; without it the app only sends notifications. */
  signing_secret: secretSchema.optional(),
  api: apiUrlSchema,
});
export type SlackSettings = z.output<typeof settingsSchema>;

export const slackConfig = {
  settings: settingsSchema,
  address: boundedTextSchema(LIMITS.nameChars)
    .trim()
    .regex(/^[UWCDG][A-Z0-9]{1,30}$/, "a member or channel id such as U04ABCDEF"),
  secrets: ["bot_token", "signing_secret"],
  identity: trimIdentity,
} as const satisfies ChannelConfig;
