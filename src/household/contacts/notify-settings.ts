/** `notify` of an executor, and `dispatch.alerts`: in which ways, and in which order, somebody is reached. */
import { CHANNEL_KINDS, type ChannelKind } from "../../channels/channel.ts";
import { isMap, type Json } from "../../mess/json.ts";
import type { Stores } from "../stores.ts";

export interface Way {
  kind: ChannelKind;
  address: Json;
}

export const isChannel = (key: string): key is ChannelKind =>
  (CHANNEL_KINDS as readonly string[]).includes(key);

/** The ways in the order in which they are written, as a map or as a list of maps. Other keys are passed over. */
export function waysOf(notify: Json | undefined): Way[] {
  if (Array.isArray(notify)) return notify.flatMap((one) => waysOf(one));
  if (!isMap(notify)) return [];
  return Object.entries(notify).flatMap(([kind, address]) =>
    isChannel(kind) && address !== null && address !== false ? [{ kind, address }] : [],
  );
}

/** The member's own ways; a browser in which somebody who has none has turned notifications on is one. */
export function waysTo(
  { members, subscriptions }: Pick<Stores, "members" | "subscriptions">,
  executor: string,
): Way[] {
  const ways = waysOf(members.executor(executor)?.notify);
  return ways.length === 0 && subscriptions.of(executor).length > 0
    ? [{ kind: "push", address: true }]
    : ways;
}
