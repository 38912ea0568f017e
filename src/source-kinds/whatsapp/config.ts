/** Settings of a WhatsApp source: a number of the Cloud API of Meta, and the app that calls the source's webhook. */
import * as z from "zod";
import { apiUrlSchema, secretSchema } from "../../channels/shared/config-fields.ts";
import { boundedTextSchema } from "../../mess/lengths.ts";
import { stripEnd } from "../../mess/strip.ts";

export const whatsappSettingsSchema = z.object({
  phone_number_id: boundedTextSchema(32).regex(/^\d{5,32}$/, "the id of a phone number, in digits"),
  /** Permanent token of a system user with whatsapp_business_messaging. */
  access_token: secretSchema,
  /** Signs the requests to the webhook. */
  app_secret: secretSchema.min(16),
  /** Chosen by the owner, who enters it at Meta together with the address of the webhook. */
  verify_token: secretSchema.min(8).max(256),
  api: apiUrlSchema,
});
export type WhatsappSettings = z.output<typeof whatsappSettingsSchema>;

const GRAPH_API = "https://graph.facebook.com/v23.0";

export const buildGraphUrl = ({ api = GRAPH_API }: WhatsappSettings, path: string): string =>
  `${stripEnd(api, "/")}/${path}`;

export const buildGraphHeaders = ({ access_token }: WhatsappSettings) => ({
  Authorization: `Bearer ${access_token}`,
});
