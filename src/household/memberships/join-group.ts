/** Joins groups, and finds memberships again by name. */
import { isRoleWithin } from "../../auth/roles.ts";
import type { GroupMembership, NewMembership } from "../../contracts/household-groups.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { refuseGroupClosed } from "../../mess/groups/refusals.ts";
import { isSameName } from "../../mess/groups/names.ts";
import { GROUP_LIMITS } from "../../mess/groups/vocabulary.ts";
import { ok } from "../../mess/result.ts";
import type { Stores } from "../stores.ts";
import {
  adoptMember,
  findGroup,
  type GroupPrincipal,
  listOwnIn,
  refuseNameTaken,
} from "./group-callers.ts";
import { createId, markNotices, syncGroup } from "./group-jobs.ts";
import { hasMemberId, type StoredGroupMember } from "./group-member-store.ts";
import { toMembership, toNewMembership } from "./membership-views.ts";

export interface JoinInput {
  group_id: string;
  my_name?: string;
  as_ops?: boolean;
  assigned_by?: string;
}

/** The same name with the same credential joins once. An agent that was claimed for the group keeps its id of the pool. */
export function joinGroup(
  stores: Stores,
  caller: GroupPrincipal,
  { group_id, my_name, as_ops = false, assigned_by }: JoinInput,
  now: number,
): Outcome<NewMembership> {
  const found = findGroup(stores, group_id);
  if (!found.ok) return found;
  if (found.value.status === "closed") return refuseGroupClosed();
  const checked = checkAssigner(stores, group_id, assigned_by);
  if (!checked.ok) return checked;

  const name = my_name ?? caller.actor;
  const claims = listOwnClaims(stores, group_id, caller);
  const claimed =
    claims.find(({ poolName, member }) => hasName(my_name, poolName, member.name)) ??
    (my_name === undefined ? getOnly(claims.filter(({ isJoined }) => !isJoined)) : undefined);
  const known = claimed?.member ?? stores.groupMembers.findByName(group_id, name);
  if (known && !adoptMember(stores, known, caller, now)) return refuseNameTaken(name);
  // Otherwise a claim that nobody has joined yet is the caller's, under whatever name.
  const waiting = claims
    .filter(({ isJoined }) => !isJoined || my_name === undefined)
    .filter(({ member }) => !as_ops || member.role === "ops");
  const own = known ?? getOnly(waiting)?.member;
  if (own) {
    if (my_name !== undefined) rename(stores, own, my_name, now);
    markJoined(stores, own, now);
    return ok(toNewMembership(stores, own, true));
  }
  const full = checkMemberLimit(stores, group_id);
  if (!full.ok) return full;
  if (stores.groupMembers.countActive(group_id, caller.actor) >= GROUP_LIMITS.membershipsPerMember)
    return refuse(
      "too_many",
      `you have ${GROUP_LIMITS.membershipsPerMember} memberships in the group`,
      "Rejoin with one of your names, as status lists them.",
    );
  if (as_ops && !isRoleWithin("agent", caller.role))
    return refuse(
      "wrong_role",
      `your role in the household is ${caller.role}, and ops need the role agent`,
      "Join without as_ops.",
    );
  if (as_ops && isOnlyAgent(stores, group_id, caller)) return refuseSelfPromotion();
  const key = createId(as_ops ? "o" : "a");
  const role = as_ops ? "ops" : "agent";
  const { actor, credential } = caller;
  stores.groupMembers.put({ group: group_id, key, name, role, actor, credential, joined: now });
  syncGroup(stores, group_id, now);
  return ok(toNewMembership(stores, { group: group_id, key }, false));
}

/** An agent of the group could otherwise make itself ops, and close the group or claim agents for it. */
function isOnlyAgent(stores: Stores, group: string, caller: GroupPrincipal): boolean {
  const own = listOwnIn(stores, group, caller);
  return own.length > 0 && caller.role !== "owner" && own.every(({ role }) => role === "agent");
}

const refuseSelfPromotion = () =>
  refuse(
    "wrong_role",
    "as_ops: you are an agent of this group",
    "Ask the primary ops to hand the group over to you with transfer_ops.",
  );

export const checkMemberLimit = ({ groupMembers }: Stores, group: string): Outcome<true> =>
  groupMembers.countActive(group) < GROUP_LIMITS.membersPerGroup
    ? ok(true)
    : refuse(
        "too_many",
        `the group has ${GROUP_LIMITS.membersPerGroup} members`,
        "Create another group with initiate.",
      );

function checkAssigner(
  { groupMembers }: Stores,
  group: string,
  assigner: string | undefined,
): Outcome<true> {
  const ops = groupMembers.list(group).filter(({ role, active }) => role === "ops" && active);
  return assigner === undefined || ops.some((one) => hasMemberId(one, assigner))
    ? ok(true)
    : refuse(
        "unknown_member",
        "assigned_by: no ops of this group have this id",
        "Give the id of the ops that assigned you, or leave it out.",
        { valid: ops.map(({ id }) => id) },
      );
}

const hasName = (name: string | undefined, ...names: readonly (string | undefined)[]): boolean =>
  name !== undefined && names.some((one) => one !== undefined && isSameName(one, name));

interface OwnClaim {
  member: StoredGroupMember;
  poolName: string | undefined;
  isJoined: boolean;
}

/** The memberships that claims gave the caller. */
const listOwnClaims = (
  { pool, groupMembers }: Stores,
  group: string,
  { credential }: GroupPrincipal,
): OwnClaim[] =>
  pool.listClaimedFor(group).flatMap(({ key, pool: id, claim }) => {
    const member = groupMembers.find(group, key);
    if (member?.credential !== credential) return [];
    return { member, poolName: groupMembers.find(id, key)?.name, isJoined: claim!.joined };
  });

const getOnly = <T>(list: readonly T[]): T | undefined => (list.length === 1 ? list[0] : undefined);

/** An agent that joins under another name than that of the pool has this name in the group, so that it can rejoin. */
function rename(
  stores: Stores,
  { group, key }: StoredGroupMember,
  name: string,
  now: number,
): void {
  if (stores.groupMembers.findByName(group, name)) return;
  stores.groupMembers.rename(group, key, name);
  syncGroup(stores, group, now);
}

function markJoined(stores: Stores, { group, key }: StoredGroupMember, now: number): void {
  const { pool } = stores;
  const entry = pool.find(key);
  if (entry?.claim?.group !== group) return;
  // The agent has followed its assignment, whether it has read it or waited for it.
  if (!entry.claim.joined) markNotices(stores, entry.pool, key, now);
  pool.setJoined(key);
  pool.setSeen(key, now);
}

/** The caller's memberships with the name: in one group, or in all open groups and the pools. */
export function rejoinGroups(
  stores: Stores,
  caller: GroupPrincipal,
  { my_name, group_id }: { my_name: string; group_id?: string },
  now: number,
): Outcome<GroupMembership[]> {
  const { groupMembers } = stores;
  const wanted =
    group_id === undefined
      ? groupMembers.listOpenOfActor(caller.actor)
      : groupMembers.list(group_id).filter(({ active, actor }) => active && actor === caller.actor);
  const own = wanted.filter(
    (member) => isSameName(member.name, my_name) && adoptMember(stores, member, caller, now),
  );
  if (own.length === 0) {
    const names = wanted
      .filter(({ credential }) => credential === caller.credential)
      .map(({ name }) => name);
    return refuse(
      "not_found",
      "my_name: none of your memberships has this name",
      "Call status without a group to list your groups, or join the group.",
      { valid: [...new Set(names)] },
    );
  }
  for (const member of own) markJoined(stores, member, now);
  return ok(own.map((member) => toMembership(stores, member)));
}
