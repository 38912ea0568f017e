/** Lists groups, and finds the membership that a call means. */
import { isBrowserSession } from "../../auth/principal.ts";
import type { GroupListing } from "../../contracts/household-groups.ts";
import { defined } from "../../mess/defined.ts";
import type { Outcome } from "../../mess/errors.ts";
import {
  refuseGroupNotFound,
  refuseSeveralMemberships,
  refuseUnknownMember,
} from "../../mess/groups/refusals.ts";
import { isPoolId } from "../../mess/groups/vocabulary.ts";
import { ok } from "../../mess/result.ts";
import { writeTime } from "../../mess/times.ts";
import type { Stores } from "../stores.ts";
import type { GroupPrincipal } from "./group-callers.ts";
import { hasMemberId, type StoredGroupMember } from "./group-member-store.ts";
import type { StoredGroup } from "./group-catalog.ts";

/** Groups in one list; open ones come first. */
const MAX_LISTED_GROUPS = 500;

export function toListing(
  { groupMembers }: Stores,
  { id, topic, status, created }: StoredGroup,
  { credential, actor }: GroupPrincipal,
): GroupListing {
  const active = groupMembers.list(id).filter((member) => member.active);
  const isBrowser = isBrowserSession(credential);
  const own = active.filter(
    (member) => member.credential === credential || (isBrowser && member.actor === actor),
  );
  return {
    group_id: id,
    topic,
    status,
    created: writeTime(created, "UTC"),
    members: active.length,
    my_ids: own.map((member) => member.id),
  };
}

/** The caller's groups, or all for an owner, without the pools. A person in a browser has those of its own keys. */
export function listGroups(stores: Stores, caller: GroupPrincipal): GroupListing[] {
  const { groupMembers } = stores;
  const memberships = isBrowserSession(caller.credential)
    ? groupMembers.listOfActor(caller.actor)
    : groupMembers.listOfCredential(caller.credential);
  const own = memberships.map(({ group }) => group);
  const groups =
    caller.role === "owner"
      ? stores.groups.listAll()
      : [...new Set(own)].flatMap((id) => stores.groups.find(id) ?? []);
  return groups
    .filter(({ id }) => !isPoolId(id))
    .toSorted(
      (one, other) =>
        Number(other.status === "open") - Number(one.status === "open") ||
        other.created - one.created,
    )
    .slice(0, MAX_LISTED_GROUPS)
    .map((group) => toListing(stores, group, caller));
}

/** Memberships whose channels one search covers; of more, the newest. */
const MAX_SEARCHED_MEMBERS = 200;

/** The keys of the caller's members, whose channels it may search; without them, an owner may search all. */
export function listSearchKeys(
  { groupMembers }: Stores,
  { credential, role }: GroupPrincipal,
  named: string | undefined,
): { visible?: string[]; member?: string } {
  const keys = new Set(
    groupMembers
      .listOfCredential(credential)
      .toReversed()
      .map(({ key }) => key),
  );
  const member = named === undefined ? undefined : (groupMembers.listById(named)[0]?.key ?? named);
  return defined({
    visible: role === "owner" ? undefined : [...keys].slice(0, MAX_SEARCHED_MEMBERS),
    member,
  });
}

/** The membership that the ids name. Without ids, the only one of the credential. */
export function resolveMembership(
  stores: Stores,
  { credential }: GroupPrincipal,
  { group_id, my_id }: { group_id?: string; my_id?: string },
): Outcome<{ group_id: string; my_id: string }> {
  const own = stores.groupMembers
    .listOfCredential(credential)
    .filter(({ group }) => group_id === undefined || group === group_id);
  if (own.length === 0) return refuseGroupNotFound();
  const named = own.filter((member) => my_id === undefined || hasMemberId(member, my_id));
  if (named.length === 0) return refuseUnknownMember("my_id");
  const candidates = group_id === undefined ? listCurrent(stores, named) : named;
  if (candidates.length === 1) {
    const { group, id } = candidates[0]!;
    return ok({ group_id: group, my_id: id });
  }
  const groups = new Set(candidates.map(({ group }) => group));
  return groups.size > 1
    ? refuseSeveralMemberships("group_id", [...groups])
    : refuseSeveralMemberships(
        "my_id",
        candidates.map(({ id }) => id),
      );
}

/**
 * Open groups count before closed ones. An agent of a pool is where it was claimed for, else in the pool: the groups
 * for which it worked before do not count.
 */
function listCurrent(
  { groups, pool }: Stores,
  members: readonly StoredGroupMember[],
): readonly StoredGroupMember[] {
  const open = members.filter(({ group }) => groups.find(group)?.status === "open");
  const usable = open.length > 0 ? open : members;
  const places = new Map(
    usable
      .filter(({ group }) => isPoolId(group))
      .map(({ group, key }) => [key, pool.find(key)?.claim?.group ?? group]),
  );
  return usable.filter(({ group, key }) => (places.get(key) ?? group) === group);
}
