/** Settings of a webhook source: how requests are signed, what their JSON means, and where replies are posted. */
import * as z from "zod";
import { isWebhookSecret } from "../../auth/callbacks/webhook-signatures.ts";
import { secretSchema, urlSchema } from "../../channels/shared/config-fields.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";

/** Short secrets can be guessed from one signed request. */
const MIN_SECRET_CHARS = 16;
const MAX_PATH_CHARS = 200;

/** A dotted path into the JSON, such as `alert.labels.host` or `commits.0.message`. */
const pathSchema = boundedTextSchema(MAX_PATH_CHARS).regex(
  /^[^.\s][^.]{0,63}(?:\.[^.]{1,64}){0,15}$/,
  "a dotted path such as alert.title",
);

const mapSchema = z.strictObject({
  sender: pathSchema.optional(),
  subject: pathSchema.optional(),
  body: pathSchema.optional(),
  /** A number from 0 to 3, or a word such as `critical` or `low`. */
  urgency: pathSchema.optional(),
  /** Seconds or milliseconds since 1970, or ISO 8601. */
  timestamp: pathSchema.optional(),
  /** Identifies the message; by default that of the signature. */
  id: pathSchema.optional(),
});

export const STANDARD_SECRET_HINT =
  "Give whsec_ followed by base64 of 24 to 64 random bytes: echo whsec_$(openssl rand -base64 32).";
const standardSecretSchema = secretSchema.refine(isWebhookSecret, {
  error: "not a Standard Webhooks secret",
  params: { hint: STANDARD_SECRET_HINT },
});

export const webhookSettingsSchema = z
  .object({
    /** Verifies requests. */
    secret: secretSchema.min(MIN_SECRET_CHARS),
    /** Standard Webhooks, or the `X-Hub-Signature-256` of GitHub. */
    signature: z.enum(["standard", "github"]).default("standard"),
    map: mapSchema.optional(),
    /** Shown as sender where the JSON has none. */
    sender: boundedTextSchema(100).trim().min(1).optional(),
    /** The source posts answers to this address; without it the source only receives. */
    url: urlSchema.optional(),
    /** Signs what it sends; `secret` by default. */
    send_secret: standardSecretSchema.optional(),
  })
  .check(({ value, issues }) => {
    if (value.signature === "standard" && !isWebhookSecret(value.secret))
      issues.push({
        code: "custom",
        input: value,
        path: ["secret"],
        message: "not a Standard Webhooks secret",
        params: { hint: STANDARD_SECRET_HINT },
      });
    if (value.signature === "github" && value.url !== undefined && !value.send_secret)
      issues.push({
        code: "custom",
        input: value,
        path: ["send_secret"],
        message: "missing: GitHub's secret cannot sign what the source sends",
        params: { hint: STANDARD_SECRET_HINT },
      });
  });
export type WebhookSourceSettings = z.output<typeof webhookSettingsSchema>;
