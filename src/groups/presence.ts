/** Whether a member is online. Joining is a first sign of life, which the household's record has. */
import { isOnline } from "../mess/groups/presence.ts";
import type { GroupStore } from "./tables/group-store.ts";
import { isExecutor, type RosterMember } from "./tables/roster.ts";

/** In milliseconds since 1970; undefined for a person or robot, who has no credential in the group. */
export function getLastSeen(
  { life }: GroupStore,
  member: RosterMember,
  now: number,
): number | undefined {
  return isExecutor(member)
    ? undefined
    : Math.max(life.getSeen(member.key, now) ?? 0, member.joined);
}

export const isMemberOnline = (store: GroupStore, member: RosterMember, now: number): boolean =>
  isOnline(getLastSeen(store, member, now), now);
