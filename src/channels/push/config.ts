/** Web push in a `config` block: the household generates its keys, and members subscribe with their browsers. */
import * as z from "zod";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { LIMITS } from "../../mess/limits.ts";
import type { ChannelConfig } from "../channel.ts";
import { urlSchema, shortTextSchema } from "../shared/config-fields.ts";

/** A push subscription of a browser (Push API). */
const subscriptionSchema = z.object({
  endpoint: urlSchema,
  keys: z.object({
    p256dh: boundedTextSchema(256).regex(/^[\w-]{20,200}=*$/, "base64url"),
    auth: boundedTextSchema(256).regex(/^[\w-]{8,100}=*$/, "base64url"),
  }),
});
export type PushSubscription = z.output<typeof subscriptionSchema>;

/** Filled in by the household: `vapid` is its key pair, `subject` a contact for push services. */
const settingsSchema = z.object({
  vapid: z
    .object({
      publicKey: boundedTextSchema(256),
      privateKey: z.record(boundedTextSchema(LIMITS.nameChars), z.json()),
    })
    .optional(),
  subject: shortTextSchema.optional(),
});
export type PushSettings = z.output<typeof settingsSchema>;

export const pushConfig = {
  settings: settingsSchema,
  /** `true` in a `config` block; replaced by the member's subscriptions before a send. */
  address: z.union([z.literal(true), z.array(subscriptionSchema)]),
  secrets: [],
} as const satisfies ChannelConfig;
