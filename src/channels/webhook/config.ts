/** A robot's webhook in a `config` block: its URL, the secret that signs requests, and the form of their body. */
import * as z from "zod";
import { isWebhookSecret } from "../../auth/callbacks/webhook-signatures.ts";
import type { ChannelConfig } from "../channel.ts";
import { noSettingsSchema, secretSchema, urlSchema } from "../shared/config-fields.ts";

const webhookSecretSchema = secretSchema.refine(isWebhookSecret, {
  error: "not a Standard Webhooks secret",
  params: {
    hint: "Give whsec_ followed by base64 of 24 to 64 random bytes, or leave it out: every executor then gets a generated one.",
  },
});

const addressSchema = z.union([
  urlSchema,
  z.object({
    url: urlSchema,
    secret: webhookSecretSchema.optional(),
    body: z.enum(["yaml", "json"]).optional(),
  }),
]);
export type WebhookAddress = z.output<typeof addressSchema>;

export const webhookConfig = {
  settings: noSettingsSchema,
  address: addressSchema,
  secrets: ["secret"],
  secretAddress: "beyond origin",
  isMachine: true,
} as const satisfies ChannelConfig;
