/**
 * What may stand under `dispatch.{channel}` and `notify.{channel}` of a `config` block. Pure: the household reads
 * configuration by it, the channels take their types from it.
 */
import * as z from "zod";
import { boundedText } from "../mess/lengths.ts";
import { LIMITS } from "../mess/limits.ts";
import { isWebhookSecret } from "../auth/callbacks/webhook-signatures.ts";
import type { ChannelKind } from "./channel.ts";

const url = boundedText(LIMITS.urlChars).pipe(
  z.url({ protocol: /^https?$/, error: "an address such as https://example.com/hook" }),
);
const secret = boundedText(4_096).trim().min(1);
const word = boundedText(256).trim().min(1);
/** Base address of the channel's API, where it is not the maker's own. */
const api = url.optional();

const slackSettings = z.object({ bot_token: secret, signing_secret: secret, api });
const slackAddress = boundedText(LIMITS.name)
  .trim()
  .regex(/^[UWCDG][A-Z0-9]{1,30}$/, "a member or channel id such as U04ABCDEF");

const telegramSettings = z.object({
  bot_token: secret,
  /** What Telegram sends with each update; made by the household where the owner gives none. */
  webhook_secret: boundedText(256)
    .regex(/^[A-Za-z0-9_-]{1,256}$/, "letters, digits, _ and -")
    .optional(),
  api,
});
const telegramAddress = z.union([
  z.int(),
  boundedText(LIMITS.name)
    .trim()
    .regex(/^(-?\d{1,20}|@[A-Za-z]\w{3,31})$/, "a chat id such as 123456789"),
]);

const phone = boundedText(LIMITS.phoneChars)
  .transform((text) => text.replaceAll(/[\s().-]/g, ""))
  .pipe(
    boundedText(LIMITS.phoneChars).regex(/^\+[1-9]\d{6,14}$/, "a number such as +390612345678"),
  );

const smsSettings = z
  .object({
    account_sid: word,
    auth_token: secret,
    from: word.optional(),
    messaging_service_sid: word.optional(),
    api,
  })
  .refine(
    (settings) => settings.from !== undefined || settings.messaging_service_sid !== undefined,
    { path: ["from"], error: "give from or messaging_service_sid" },
  );

const emailAddress = boundedText(LIMITS.emailChars)
  .trim()
  .pipe(z.email("an address such as ann@example.com"));
const emailSettings = z.object({
  from: emailAddress,
  /** Where answers come in, where it is not the domain of `from`. */
  reply_domain: word.optional(),
});

/** What a browser gives when somebody subscribes (Push API). */
export const pushSubscription = z.object({
  endpoint: url,
  keys: z.object({
    p256dh: boundedText(256).regex(/^[\w-]{20,200}=*$/, "base64url"),
    auth: boundedText(256).regex(/^[\w-]{8,100}=*$/, "base64url"),
  }),
});
export type PushSubscription = z.output<typeof pushSubscription>;

/** Filled in by the household: `vapid` is its key pair, `subject` is for whom push services want to ask. */
const pushSettings = z.object({
  vapid: z
    .object({
      publicKey: boundedText(256),
      privateKey: z.record(boundedText(LIMITS.name), z.json()),
    })
    .optional(),
  subject: word.optional(),
});
/** `true` in a `config` block; the member's subscriptions when it is sent to. */
const pushAddress = z.union([z.literal(true), z.array(pushSubscription)]);

const ntfySettings = z.object({ api, token: secret.optional() });
const ntfyAddress = z.union([
  url,
  boundedText(LIMITS.name)
    .trim()
    .regex(/^[\w-]{1,64}$/, "a topic or its address"),
]);

const webhookSecret = secret.refine(isWebhookSecret, {
  error: "no secret of Standard Webhooks",
  params: {
    hint: "Give whsec_ and base64 of 24 to 64 random bytes, or leave it out: one is made for each executor.",
  },
});
const webhookAddress = z.union([
  url,
  z.object({ url, secret: webhookSecret.optional(), body: z.enum(["yaml", "json"]).optional() }),
]);
const mcpAddress = z.union([
  url,
  z.object({ url, token: secret.optional(), tool: word.optional() }),
]);
const none = z.object({});

export type SlackSettings = z.output<typeof slackSettings>;
export type TelegramSettings = z.output<typeof telegramSettings>;
export type SmsSettings = z.output<typeof smsSettings>;
export type EmailSettings = z.output<typeof emailSettings>;
export type PushSettings = z.output<typeof pushSettings>;
export type NtfySettings = z.output<typeof ntfySettings>;
export type WebhookAddress = z.output<typeof webhookAddress>;
export type McpAddress = z.output<typeof mcpAddress>;

interface ChannelSchema {
  readonly settings: z.ZodType;
  readonly address: z.ZodType;
  /** Keys of the settings and of an address that are secrets. */
  readonly secrets: readonly string[];
  /** Who knows the address may write there, so the whole of it is a secret. */
  readonly secretAddress?: true;
  /** By which what comes in is known to be the member's, in one spelling. Absent where nothing comes in by it. */
  readonly identity?: (address: unknown) => string;
}

const same = (address: unknown): string => String(address).trim();

export const CHANNEL_SCHEMAS = {
  slack: {
    settings: slackSettings,
    address: slackAddress,
    secrets: ["bot_token", "signing_secret"],
    identity: same,
  },
  telegram: {
    settings: telegramSettings,
    address: telegramAddress,
    secrets: ["bot_token", "webhook_secret"],
    identity: same,
  },
  sms: {
    settings: smsSettings,
    address: phone,
    secrets: ["auth_token"],
    identity: (address) => same(address).replaceAll(/[\s().-]/g, ""),
  },
  email: {
    settings: emailSettings,
    address: emailAddress,
    secrets: [],
    identity: (address) => same(address).toLowerCase(),
  },
  push: { settings: pushSettings, address: pushAddress, secrets: [] },
  ntfy: { settings: ntfySettings, address: ntfyAddress, secrets: ["token"] },
  discord: { settings: none, address: url, secrets: [], secretAddress: true },
  google_chat: { settings: none, address: url, secrets: [], secretAddress: true },
  webhook: { settings: none, address: webhookAddress, secrets: ["secret"] },
  mcp: { settings: none, address: mcpAddress, secrets: ["token"] },
} as const satisfies Readonly<Record<ChannelKind, ChannelSchema>>;

/** The same table, for who goes through all of it. */
export const channelSchema = (kind: ChannelKind): ChannelSchema => CHANNEL_SCHEMAS[kind];
