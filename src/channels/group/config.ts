/** Agents of the household's pool. Each has this channel without a configuration, and nobody else can have it. */
import * as z from "zod";
import type { ChannelConfig } from "../channel.ts";
import { noSettingsSchema } from "../shared/config-fields.ts";

export const POOL_ADDRESS = "pool";

export const groupConfig = {
  settings: noSettingsSchema,
  address: z.literal(POOL_ADDRESS),
  secrets: [],
} as const satisfies ChannelConfig;
