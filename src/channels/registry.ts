/** All channels by kind. A new channel is a folder and a line here. */
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

/** Settings and addresses must be parsed by the schemas of their channel before use. */
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

/** The abilities of a channel. */
export const getChannelFeatures = (kind: ChannelKind): ChannelFeatures => CHANNELS[kind].features;
