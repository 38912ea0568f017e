/** Checks who calls, and which memberships are the caller's: an id belongs to the credential that joined with it. */
import type { CredentialId, Principal, Role } from "../../auth/principal.ts";
import { isRoleWithin } from "../../auth/roles.ts";
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import { refuseGroupNotFound } from "../../mess/groups/refusals.ts";
import { isPoolId } from "../../mess/groups/vocabulary.ts";
import { ok } from "../../mess/result.ts";
import { isLive } from "../identity/end-access.ts";
import type { Stores } from "../stores.ts";
import { syncGroup } from "./group-jobs.ts";
import type { StoredGroupMember } from "./group-member-store.ts";
import type { StoredGroup } from "./group-catalog.ts";

export type GroupPrincipal = Principal & { readonly credential: CredentialId };

/** @param least the lowest role that may make the call */
export function checkGroupCaller(
  stores: Stores,
  principal: Principal,
  least: Role,
  now: number,
): Outcome<GroupPrincipal> {
  const { role, credential, scope } = principal;
  if (scope || credential === undefined)
    return refuse(
      "wrong_role",
      "a link gives no access to groups",
      "Call with an API key or a grant of a member of the household.",
    );
  if (!isRoleWithin(least, role))
    return refuse(
      "wrong_role",
      `your role in the household is ${role}, and this needs the role ${least}`,
      "Ask an owner of the household for a key with that role.",
    );
  // An isolate may still know a key that was revoked a moment ago, whose memberships would never end.
  if (!isLive(stores, credential, now)) return refuseUnauthenticated();
  return ok({ ...principal, credential });
}

/**
 * True if the membership is the caller's. One of the same member whose credential has ended, such as a rotated key, is
 * bound to the caller's credential, in all groups.
 */
export function adoptMember(
  stores: Stores,
  member: StoredGroupMember,
  { actor, credential }: GroupPrincipal,
  now: number,
): boolean {
  if (member.credential === credential) return true;
  if (member.actor !== actor || isLive(stores, member.credential, now)) return false;
  const same = stores.groupMembers
    .listById(member.key)
    .filter((one) => one.key === member.key && one.credential === member.credential);
  for (const { group, key } of same) {
    stores.groupMembers.setCredential(group, key, credential);
    syncGroup(stores, group, now);
  }
  return true;
}

/** The caller's memberships in the group. */
export const listOwnIn = (
  { groupMembers }: Stores,
  group: string,
  { credential }: GroupPrincipal,
): StoredGroupMember[] => groupMembers.listOwn(group, credential);

/** Finds a group, but no pool. */
export function findGroup({ groups }: Stores, id: string): Outcome<StoredGroup> {
  const group = isPoolId(id) ? undefined : groups.find(id);
  return group ? ok(group) : refuseGroupNotFound();
}

export const refuseNameTaken = (name: string) =>
  refuse(
    "already_exists",
    `the name ${name} belongs to another key in this group`,
    "Choose another name. To continue after your key was replaced, have the old key revoked, and call rejoin with the new one.",
  );
