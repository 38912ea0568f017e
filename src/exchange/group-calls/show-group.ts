/** Shows AI groups to people in a browser, and sends an owner's message to all members of one. */
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { Principal } from "../../auth/principal.ts";
import type { GroupRpc, ViewedGroup } from "../../contracts/groups.ts";
import type { Outcome } from "../../mess/errors.ts";
import { refuseGroupNotFound } from "../../mess/groups/refusals.ts";
import { isPoolId } from "../../mess/groups/vocabulary.ts";
import { readNames } from "../lists/list-inbox.ts";
import type { ExchangeBindings } from "../with-thread.ts";
import { withGroup } from "./with-group.ts";

export const showGroup = (
  env: ExchangeBindings,
  viewer: Principal,
  group_id: string,
  query: { before?: number },
): Promise<Outcome<ViewedGroup>> =>
  withShownGroup(env, viewer, group_id, (group) => group.view(viewer, query));

export const announceToGroup = (
  env: ExchangeBindings,
  owner: Principal,
  group_id: string,
  { content, key }: { content: string; key: string },
): Promise<Outcome<{ members: number }>> =>
  withShownGroup(env, owner, group_id, async (group) => {
    const from_name = (await readNames(env, owner.household)).get(owner.actor) ?? owner.actor;
    return await group.announce(owner, { content, key, from_name });
  });

/** The pools are no groups for people. */
async function withShownGroup<T>(
  env: ExchangeBindings,
  principal: Principal,
  group_id: string,
  work: (group: GroupRpc) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  if (principal.credential === undefined) return refuseUnauthenticated();
  if (isPoolId(group_id)) return refuseGroupNotFound();
  return await withGroup(env, principal, { group_id }, ({ group }) => work(group));
}
