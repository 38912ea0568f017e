/** Discord in a `config` block: the URL of a channel's incoming webhook, which is a secret. */
import type { ChannelConfig } from "../channel.ts";
import { noSettingsSchema, urlSchema } from "../shared/config-fields.ts";

export const discordConfig = {
  settings: noSettingsSchema,
  address: urlSchema,
  secrets: [],
  secretAddress: "whole",
} as const satisfies ChannelConfig;
