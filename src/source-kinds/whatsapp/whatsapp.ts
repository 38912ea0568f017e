/** WhatsApp by the Cloud API of Meta: received by the source's own webhook, sent by the number of the settings. */
import type { SourceKind } from "../source-kind.ts";
import { buildWebhookAddress } from "../webhook/address.ts";
import { type WhatsappSettings, whatsappSettingsSchema } from "./config.ts";
import { answerWhatsappHandshake, receiveWhatsapp } from "./receive.ts";
import { sendWhatsappMessage } from "./send.ts";

export const whatsappKind: SourceKind<WhatsappSettings> = {
  settings: whatsappSettingsSchema,
  secrets: ["access_token", "app_secret", "verify_token"],
  explainCannotSend: () => undefined,
  getAddress: (_settings, place) => buildWebhookAddress(place),
  send: sendWhatsappMessage,
  receive: receiveWhatsapp,
  answerHandshake: answerWhatsappHandshake,
};
