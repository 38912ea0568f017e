/** Every channel by its kind. */
import type { ChannelFeatures, Channel, ChannelKind } from "./channel.ts";
import { discord } from "./discord/send.ts";
import { email } from "./email/send.ts";
import { googleChat } from "./google-chat/send.ts";
import { mcp } from "./mcp/send.ts";
import { ntfy } from "./ntfy/send.ts";
import { push } from "./push/send.ts";
import { slack } from "./slack/send.ts";
import { sms } from "./sms/send.ts";
import { telegram } from "./telegram/send.ts";
import { webhook } from "./webhook/send.ts";

/** Each reads its settings and addresses by its own schemas: parse by these before a channel is used. */
export const CHANNELS: Readonly<Record<ChannelKind, Channel>> = {
  slack,
  telegram,
  sms,
  email,
  push,
  ntfy,
  discord,
  google_chat: googleChat,
  webhook,
  mcp,
};

/** What a channel can carry. */
export const getChannelFeatures = (kind: ChannelKind): ChannelFeatures => CHANNELS[kind].features;
