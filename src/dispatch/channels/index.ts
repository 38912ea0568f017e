/** Every channel by its kind. */
import type { Carries, Channel, ChannelKind } from "../channel.ts";
import { discord } from "./discord.ts";
import { email } from "./email.ts";
import { googleChat } from "./google-chat.ts";
import { mcp } from "./mcp.ts";
import { ntfy } from "./ntfy.ts";
import { push } from "./push.ts";
import { slack } from "./slack.ts";
import { sms } from "./sms.ts";
import { telegram } from "./telegram.ts";
import { webhook } from "./webhook.ts";

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
export const carriesOf = (kind: ChannelKind): Carries => CHANNELS[kind].carries;
