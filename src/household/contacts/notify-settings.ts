/** Reads lists of notice channels, in order of preference: `notify` of an executor, or the value of `dispatch.alerts`. */
import { POOL_ADDRESS } from "../../channels/group/config.ts";
import { type ChannelKind, isChannelKind } from "../../channels/registry.ts";
import { isMap, type Json } from "../../mess/json.ts";
import { isMemberId } from "../../mess/groups/ids.ts";
import type { Stores } from "../stores.ts";

export interface NotifyChannel {
  kind: ChannelKind;
  address: Json;
}

/** The channels in the order of the configuration, which is a map or a list of maps. Unknown keys are skipped. */
export function readNotifyChannels(notify: Json | undefined): NotifyChannel[] {
  if (Array.isArray(notify)) return notify.flatMap((one) => readNotifyChannels(one));
  if (!isMap(notify)) return [];
  return Object.entries(notify).flatMap(([kind, address]) =>
    isChannelKind(kind) && address !== null && address !== false ? [{ kind, address }] : [],
  );
}

/**
 * The member's configured channels. A member without any gets the browsers in which it turned notifications on. An agent
 * of the pool has the channel of its pool.
 */
export function findNotifyChannels(
  { members, subscriptions, pool }: Pick<Stores, "members" | "subscriptions" | "pool">,
  executor: string,
): NotifyChannel[] {
  if (isMemberId(executor))
    return pool.find(executor) ? [{ kind: "group", address: POOL_ADDRESS }] : [];
  const channels = readNotifyChannels(members.findExecutor(executor)?.notify);
  return channels.length === 0 && subscriptions.list(executor).length > 0
    ? [{ kind: "push", address: true }]
    : channels;
}
