/** Every channel by its kind. */
import type { Channel, ChannelKind } from "../channel.ts";

/** Each channel reads its settings and addresses by its own schemas; who goes through all of them sees `never`. */
export const CHANNELS: Partial<Readonly<Record<ChannelKind, Channel>>> = {};
