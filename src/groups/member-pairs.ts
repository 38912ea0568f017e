/** The channels that a reader may read: a channel belongs to its two members, and to the owners of the household. */
import type { GroupMember } from "../contracts/groups.ts";
import { type Outcome, refuse } from "../mess/errors.ts";
import { EXCHANGE_SENDER } from "../mess/groups/ids.ts";
import { ok } from "../mess/result.ts";
import type { GroupStore } from "./tables/group-store.ts";
import type { SeqRange } from "./tables/message-table.ts";

/** A channel by the keys of its members. */
export type MemberPair = readonly [string, string];

/** Both directions of each channel. */
export const toRanges = (
  channels: readonly MemberPair[],
  bounds: Pick<SeqRange, "after" | "before">,
): SeqRange[] =>
  channels.flatMap(([one, other]) => [
    { receiver: one, sender: other, ...bounds },
    { receiver: other, sender: one, ...bounds },
  ]);

/** The key of the other member of a channel: a member, the exchange, or ops of another group that wrote here. */
export function resolveOther(
  { roster, unread }: GroupStore,
  reader: GroupMember,
  other: string,
): Outcome<string> {
  const key = roster.find(other)?.key ?? other;
  const isKnown =
    key === EXCHANGE_SENDER || roster.find(key) !== undefined || unread.get(reader.key, key);
  return isKnown
    ? ok(key)
    : refuse(
        "unknown_member",
        "other_id (over HTTP: with or from): no such member in this group",
        "Give one of these.",
        {
          valid: roster.listReceivers(reader),
        },
      );
}

/** Every channel of the reader. */
export function listChannels({ roster, unread }: GroupStore, { key }: GroupMember): MemberPair[] {
  const others = new Set([
    ...[...roster.get().members, ...roster.listExecutors()].map((member) => member.key),
    ...unread.list(key).map(({ sender }) => sender),
  ]);
  others.delete(key);
  return [...others].map((other) => [key, other]);
}

/** The channel between two members, for an owner. */
export function resolveBetween(
  { roster }: GroupStore,
  [one, other]: readonly [string, string],
): MemberPair {
  return [roster.find(one)?.key ?? one, roster.find(other)?.key ?? other];
}
