/** Finds the membership that a call means. */
import type { Outcome } from "../../mess/errors.ts";
import {
  refuseGroupNotFound,
  refuseSeveralMemberships,
  refuseUnknownMember,
} from "../../mess/groups/refusals.ts";
import { isPoolId } from "../../mess/groups/vocabulary.ts";
import { ok } from "../../mess/result.ts";
import type { Stores } from "../stores.ts";
import type { GroupPrincipal } from "./group-callers.ts";
import { hasMemberId, type StoredGroupMember } from "./group-member-store.ts";

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
