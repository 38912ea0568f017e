/** Memberships as callers see them. */
import type { GroupMembership, NewMembership } from "../../contracts/household-groups.ts";
import type { Stores } from "../stores.ts";
import type { StoredGroupMember } from "./group-member-store.ts";

export const toMembership = ({ groups }: Stores, member: StoredGroupMember): GroupMembership => {
  const group = groups.find(member.group)!;
  return {
    group_id: group.id,
    my_id: member.id,
    my_name: member.name,
    role: member.role,
    topic: group.topic,
    status: group.status,
  };
};

export function toNewMembership(
  stores: Stores,
  { group, key }: Pick<StoredGroupMember, "group" | "key">,
  isRejoined: boolean,
): NewMembership {
  const { primary } = stores.groups.find(group)!;
  const ops = stores.groupMembers
    .list(group)
    .filter(({ role, active }) => role === "ops" && active)
    .toSorted((one, other) => Number(other.key === primary) - Number(one.key === primary));
  return {
    ...toMembership(stores, stores.groupMembers.find(group, key)!),
    ops: ops.map(({ id, name }) => ({ id, name })),
    ...(isRejoined ? { rejoined: true as const } : {}),
  };
}
