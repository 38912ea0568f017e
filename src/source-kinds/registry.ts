/** Looks up the kinds of message sources. To add one, add its line here. */
import type { SourceKindName } from "../mess/sources/vocabulary.ts";
import { emailKind } from "./email/email.ts";
import { mailboxKind } from "./mailbox/mailbox.ts";
import { messKind } from "./mess/mess.ts";
import { feedKind } from "./feed/feed.ts";
import { sensorKind } from "./sensor/sensor.ts";
import type { SourceKind } from "./source-kind.ts";
import { slackKind } from "./slack/slack.ts";
import { smsKind } from "./sms/sms.ts";
import { telegramKind } from "./telegram/telegram.ts";
import { webhookKind } from "./webhook/webhook.ts";
import { whatsappKind } from "./whatsapp/whatsapp.ts";

export const SOURCE_KIND_REGISTRY: Readonly<Partial<Record<SourceKindName, SourceKind>>> = {
  email: emailKind,
  mailbox: mailboxKind,
  mess: messKind,
  slack: slackKind,
  sms: smsKind,
  telegram: telegramKind,
  webhook: webhookKind,
  sensor: sensorKind,
  whatsapp: whatsappKind,
  feed: feedKind,
};

/** Undefined for a kind that this version does not offer. */
export const findSourceKind = (kind: SourceKindName): SourceKind | undefined =>
  SOURCE_KIND_REGISTRY[kind];

export const OFFERED_SOURCE_KINDS = Object.keys(SOURCE_KIND_REGISTRY) as readonly SourceKindName[];
