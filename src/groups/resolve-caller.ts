/** Finds the member that makes a call. An id works only with the credential that joined with it. */
import { isBrowserSession, type Principal } from "../auth/principal.ts";
import type { GroupCaller, GroupMember } from "../contracts/groups.ts";
import type { Outcome } from "../mess/errors.ts";
import {
  refuseGroupNotFound,
  refuseSeveralMemberships,
  refuseUnknownMember,
} from "../mess/groups/refusals.ts";
import { ok } from "../mess/result.ts";
import type { Roster } from "./tables/roster.ts";

const isOwner = (roster: Roster, { principal }: GroupCaller): boolean =>
  principal.role === "owner" && principal.household === roster.read()?.household;

/** The member that the caller may act as. A caller without a membership learns nothing about the group. */
export function resolveCaller(roster: Roster, caller: GroupCaller): Outcome<GroupMember> {
  const { principal, as } = caller;
  const record = roster.read();
  if (!record || record.household !== principal.household) return refuseGroupNotFound();
  const own = roster.listActive().filter(({ credential }) => credential === principal.credential);
  const [member, ...others] =
    as === undefined ? own : own.filter((each) => each === roster.find(as));
  if (member && others.length === 0) return ok(member);
  if (member)
    return refuseSeveralMemberships(
      "my_id",
      own.map(({ id }) => id),
    );
  // A member whose credential was replaced is asked to rejoin; anybody else must not learn that the group exists.
  const isKnown = record.members.some(({ actor }) => actor === principal.actor);
  return own.length > 0 || isKnown || isOwner(roster, caller)
    ? refuseUnknownMember("my_id")
    : refuseGroupNotFound();
}

/** The member that the caller may read as; undefined for an owner who is no member. */
export function resolveReader(
  roster: Roster,
  caller: GroupCaller,
): Outcome<GroupMember | undefined> {
  const member = resolveCaller(roster, caller);
  return !member.ok && caller.as === undefined && isOwner(roster, caller) ? ok(undefined) : member;
}

/**
 * The members whose channels the viewer may watch: those that joined with its credential. A person in a browser watches
 * what its own keys may read; acting as one of these members needs the key.
 */
export function listVisibleMembers(
  { roster }: { roster: Roster },
  viewer: Principal,
): GroupMember[] {
  const { credential, actor } = viewer;
  const isBrowser = isBrowserSession(credential);
  return roster
    .listActive()
    .filter(
      (member) =>
        (member.credential === credential && !member.ended) ||
        (isBrowser && member.actor === actor),
    );
}
