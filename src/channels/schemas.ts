/**
 * Schemas of `dispatch.{channel}` and `notify.{channel}` in a `config` block. Pure: the household validates
 * configurations with them, and the channels derive their types from them.
 */
import * as z from "zod";
import { boundedTextSchema } from "../mess/lengths.ts";
import { LIMITS } from "../mess/limits.ts";
import { isWebhookSecret } from "../auth/callbacks/webhook-signatures.ts";
import type { ChannelKind } from "./channel.ts";

const urlSchema = boundedTextSchema(LIMITS.urlChars).pipe(
  z.url({ protocol: /^https?$/, error: "an address such as https://example.com/hook" }),
);
const secretSchema = boundedTextSchema(4_096).trim().min(1);
const wordSchema = boundedTextSchema(256).trim().min(1);
/** Base URL of the channel's API; the provider's own by default. */
const apiUrlSchema = urlSchema.optional();

const slackSettingsSchema = z.object({
  bot_token: secretSchema,
  signing_secret: secretSchema,
  api: apiUrlSchema,
});
const slackAddressSchema = boundedTextSchema(LIMITS.nameChars)
  .trim()
  .regex(/^[UWCDG][A-Z0-9]{1,30}$/, "a member or channel id such as U04ABCDEF");

const telegramSettingsSchema = z.object({
  bot_token: secretSchema,
  /** Sent by Telegram with every update; generated where the owner sets none. */
  webhook_secret: boundedTextSchema(256)
    .regex(/^[A-Za-z0-9_-]{1,256}$/, "letters, digits, _ and -")
    .optional(),
  api: apiUrlSchema,
});
const telegramAddressSchema = z.union([
  z.int(),
  boundedTextSchema(LIMITS.nameChars)
    .trim()
    .regex(/^(-?\d{1,20}|@[A-Za-z]\w{3,31})$/, "a chat id such as 123456789"),
]);

const phoneSchema = boundedTextSchema(LIMITS.phoneChars)
  .transform((text) => text.replaceAll(/[\s().-]/g, ""))
  .pipe(
    boundedTextSchema(LIMITS.phoneChars).regex(
      /^\+[1-9]\d{6,14}$/,
      "a number such as +390612345678",
    ),
  );

const smsSettingsSchema = z
  .object({
    account_sid: wordSchema,
    auth_token: secretSchema,
    from: wordSchema.optional(),
    messaging_service_sid: wordSchema.optional(),
    api: apiUrlSchema,
  })
  .refine(
    (settings) => settings.from !== undefined || settings.messaging_service_sid !== undefined,
    { path: ["from"], error: "give from or messaging_service_sid" },
  );

const emailAddressSchema = boundedTextSchema(LIMITS.emailChars)
  .trim()
  .pipe(z.email("an address such as ann@example.com"));
const emailSettingsSchema = z.object({
  from: emailAddressSchema,
  /** Domain that receives replies; that of `from` by default. */
  reply_domain: wordSchema.optional(),
});

/** A push subscription of a browser (Push API). */
export const pushSubscriptionSchema = z.object({
  endpoint: urlSchema,
  keys: z.object({
    p256dh: boundedTextSchema(256).regex(/^[\w-]{20,200}=*$/, "base64url"),
    auth: boundedTextSchema(256).regex(/^[\w-]{8,100}=*$/, "base64url"),
  }),
});
export type PushSubscription = z.output<typeof pushSubscriptionSchema>;

/** Filled in by the household: `vapid` is its key pair, `subject` a contact for push services. */
const pushSettingsSchema = z.object({
  vapid: z
    .object({
      publicKey: boundedTextSchema(256),
      privateKey: z.record(boundedTextSchema(LIMITS.nameChars), z.json()),
    })
    .optional(),
  subject: wordSchema.optional(),
});
/** `true` in a `config` block; replaced by the member's subscriptions for sending. */
const pushAddressSchema = z.union([z.literal(true), z.array(pushSubscriptionSchema)]);

const ntfySettingsSchema = z.object({ api: apiUrlSchema, token: secretSchema.optional() });
const ntfyAddressSchema = z.union([
  urlSchema,
  boundedTextSchema(LIMITS.nameChars)
    .trim()
    .regex(/^[\w-]{1,64}$/, "a topic or its address"),
]);

const webhookSecretSchema = secretSchema.refine(isWebhookSecret, {
  error: "not a Standard Webhooks secret",
  params: {
    hint: "Give whsec_ followed by base64 of 24 to 64 random bytes, or leave it out: every executor then gets a generated one.",
  },
});
const webhookAddressSchema = z.union([
  urlSchema,
  z.object({
    url: urlSchema,
    secret: webhookSecretSchema.optional(),
    body: z.enum(["yaml", "json"]).optional(),
  }),
]);
const mcpAddressSchema = z.union([
  urlSchema,
  z.object({ url: urlSchema, token: secretSchema.optional(), tool: wordSchema.optional() }),
]);
const emptySchema = z.object({});

export type SlackSettings = z.output<typeof slackSettingsSchema>;
export type TelegramSettings = z.output<typeof telegramSettingsSchema>;
export type SmsSettings = z.output<typeof smsSettingsSchema>;
export type EmailSettings = z.output<typeof emailSettingsSchema>;
export type PushSettings = z.output<typeof pushSettingsSchema>;
export type NtfySettings = z.output<typeof ntfySettingsSchema>;
export type WebhookAddress = z.output<typeof webhookAddressSchema>;
export type McpAddress = z.output<typeof mcpAddressSchema>;

interface ChannelSchema {
  readonly settings: z.ZodType;
  readonly address: z.ZodType;
  /** Keys of settings and addresses that hold secrets. */
  readonly secrets: readonly string[];
  /** The address itself grants access: all of it is secret, or everything but its origin. */
  readonly secretAddress?: "whole" | "beyond origin";
  /** The member's identity in inbound messages, in one spelling. Absent for channels without inbound. */
  readonly identity?: (address: unknown) => string;
}

/** Keys of settings and addresses that hold a URL, whose path and query may be secret. */
export const ADDRESS_KEYS: readonly string[] = ["url", "api"];

const trimIdentity = (address: unknown): string => String(address).trim();

export const CHANNEL_SCHEMAS = {
  slack: {
    settings: slackSettingsSchema,
    address: slackAddressSchema,
    secrets: ["bot_token", "signing_secret"],
    identity: trimIdentity,
  },
  telegram: {
    settings: telegramSettingsSchema,
    address: telegramAddressSchema,
    secrets: ["bot_token", "webhook_secret"],
    identity: trimIdentity,
  },
  sms: {
    settings: smsSettingsSchema,
    address: phoneSchema,
    secrets: ["auth_token"],
    identity: (address) => trimIdentity(address).replaceAll(/[\s().-]/g, ""),
  },
  email: {
    settings: emailSettingsSchema,
    address: emailAddressSchema,
    secrets: [],
    identity: (address) => trimIdentity(address).toLowerCase(),
  },
  push: { settings: pushSettingsSchema, address: pushAddressSchema, secrets: [] },
  ntfy: {
    settings: ntfySettingsSchema,
    address: ntfyAddressSchema,
    secrets: ["token"],
    secretAddress: "beyond origin",
  },
  discord: { settings: emptySchema, address: urlSchema, secrets: [], secretAddress: "whole" },
  google_chat: { settings: emptySchema, address: urlSchema, secrets: [], secretAddress: "whole" },
  webhook: {
    settings: emptySchema,
    address: webhookAddressSchema,
    secrets: ["secret"],
    secretAddress: "beyond origin",
  },
  mcp: {
    settings: emptySchema,
    address: mcpAddressSchema,
    secrets: ["token"],
    secretAddress: "beyond origin",
  },
} as const satisfies Readonly<Record<ChannelKind, ChannelSchema>>;

/** The same table, for iteration. */
export const getChannelSchema = (kind: ChannelKind): ChannelSchema => CHANNEL_SCHEMAS[kind];
