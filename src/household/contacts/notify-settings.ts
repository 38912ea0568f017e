/** `notify` of an executor, and `dispatch.alerts`: in which ways, and in which order, somebody is reached. */
import { CHANNEL_KINDS, type ChannelKind } from "../../channels/channel.ts";
import { isMap, type Json } from "../../mess/json.ts";
import type { Stores } from "../stores.ts";

export interface NotifyChannel {
  kind: ChannelKind;
  address: Json;
}

export const isChannelKind = (key: string): key is ChannelKind =>
  (CHANNEL_KINDS as readonly string[]).includes(key);

/** The ways in the order in which they are written, as a map or as a list of maps. Other keys are passed over. */
export function readNotifyChannels(notify: Json | undefined): NotifyChannel[] {
  if (Array.isArray(notify)) return notify.flatMap((one) => readNotifyChannels(one));
  if (!isMap(notify)) return [];
  return Object.entries(notify).flatMap(([kind, address]) =>
    isChannelKind(kind) && address !== null && address !== false ? [{ kind, address }] : [],
  );
}

/** The member's own ways; a browser in which somebody who has none has turned notifications on is one. */
export function findNotifyChannels(
  { members, subscriptions }: Pick<Stores, "members" | "subscriptions">,
  executor: string,
): NotifyChannel[] {
  const channels = readNotifyChannels(members.findExecutor(executor)?.notify);
  return channels.length === 0 && subscriptions.list(executor).length > 0
    ? [{ kind: "push", address: true }]
    : channels;
}
