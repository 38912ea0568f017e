/** ntfy in a `config` block: a server with its token, and a topic or the URL of one. */
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { ChannelConfig } from "../channel.ts";
import { apiUrlSchema, secretSchema, urlSchema } from "../shared/config-fields.ts";

const settingsSchema = z.object({ api: apiUrlSchema, token: secretSchema.optional() });
export type NtfySettings = z.output<typeof settingsSchema>;

export const ntfyConfig = {
  settings: settingsSchema,
  address: z.union([
    urlSchema,
    boundedTextSchema(LIMITS.nameChars)
      .trim()
      .regex(/^[\w-]{1,64}$/, "a topic or its address"),
  ]),
  secrets: ["token"],
  secretAddress: "beyond origin",
} as const satisfies ChannelConfig;
