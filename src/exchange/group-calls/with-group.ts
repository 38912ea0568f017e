/** Finds the group of a call, and the member in whose name it is made. */
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { Principal } from "../../auth/principal.ts";
import type { GroupCaller, GroupRpc } from "../../contracts/groups.ts";
import { defined } from "../../mess/defined.ts";
import type { Outcome } from "../../mess/errors.ts";
import { refuseGroupNotFound } from "../../mess/groups/refusals.ts";
import { isGroupId } from "../../mess/groups/ids.ts";
import { getGroupStub, getHouseholdStub } from "../../stubs.ts";
import type { ExchangeBindings } from "../with-thread.ts";

/** Both ids can be left out where the credential has one membership only. */
export interface MembershipIds {
  group_id?: string | undefined;
  my_id?: string | undefined;
}

export interface FoundGroup {
  group: GroupRpc;
  caller: GroupCaller;
  id: string;
}

/** Runs `work` on the group's object, which checks that the caller holds the credential of the member. */
export async function withGroup<T>(
  env: ExchangeBindings,
  principal: Principal,
  { group_id, my_id }: MembershipIds,
  work: (found: FoundGroup) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  // Links give access to one thread, and to nothing else.
  if (principal.credential === undefined || principal.scope) return refuseUnauthenticated();
  const run = (id: string, as: string | undefined) =>
    work({
      group: getGroupStub(env, principal.household, id),
      caller: { principal, ...defined({ as }) },
      id,
    });
  if (group_id !== undefined)
    return isGroupId(group_id) ? await run(group_id, my_id) : refuseGroupNotFound();
  const { groups } = getHouseholdStub(env, principal.household);
  const membership = await groups.resolve(principal, { ...defined({ my_id }) });
  return membership.ok ? await run(membership.value.group_id, membership.value.my_id) : membership;
}
