/** Lists groups, and the members whose messages a caller may search. */
import { isBrowserSession } from "../../auth/principal.ts";
import type { GroupListing } from "../../contracts/household-groups.ts";
import { defined } from "../../mess/defined.ts";
import { isPoolId } from "../../mess/groups/vocabulary.ts";
import type { Stores } from "../stores.ts";
import type { GroupPrincipal } from "./group-callers.ts";
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
    created: new Date(created).toISOString(),
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
