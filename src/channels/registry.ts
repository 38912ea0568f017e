/** Looks up channels by kind. To add a channel, add its line to `channel-kinds.ts`. */
import type { Channel, ChannelFeatures } from "./channel.ts";
import * as channelsByKind from "./channel-kinds.ts";

export type ChannelKind = keyof typeof channelsByKind;

/** Settings and addresses must be parsed by the schemas of their channel before use. */
export const CHANNELS: Readonly<Record<ChannelKind, Channel>> = { ...channelsByKind };

export const CHANNEL_KINDS = Object.keys(CHANNELS) as readonly ChannelKind[];

export const isChannelKind = (key: string): key is ChannelKind => Object.hasOwn(CHANNELS, key);

export const getChannelFeatures = (kind: ChannelKind): ChannelFeatures => CHANNELS[kind].features;
