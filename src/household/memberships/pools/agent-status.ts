/** Whether an agent gave a sign of life lately, and where it works. */
import type { AgentStatusView } from "../../../contracts/household-groups.ts";
import { defined } from "../../../mess/defined.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { isPoolId } from "../../../mess/groups/vocabulary.ts";
import { ok } from "../../../mess/result.ts";
import type { Stores } from "../../stores.ts";
import { type GroupPrincipal, listOwnIn } from "../group-callers.ts";
import type { StoredGroupMember } from "../group-member-store.ts";
import { getPoolStatus } from "./pool-views.ts";
import { isOnline } from "../../../mess/groups/presence.ts";
import type { SeenByGroup } from "./signs-of-life.ts";

/** Groups that are asked for signs of life: those that the agent joined last. */
const MAX_ASKED_GROUPS = 20;

/** The agent's memberships in open groups and the pools. Refused to callers that share neither with it. */
export function findAgent(
  stores: Stores,
  caller: GroupPrincipal,
  agent_id: string,
): Outcome<StoredGroupMember[]> {
  const [known] = stores.groupMembers.listById(agent_id);
  // An id that a handoff gave names one membership, the key all of them.
  const found = stores.groupMembers
    .listById(known?.key ?? agent_id)
    .filter(({ group }) => stores.groups.find(group)?.status === "open");
  return found.some((member) => isVisible(stores, member, caller))
    ? ok(found.slice(-MAX_ASKED_GROUPS))
    : refuse(
        "unknown_member",
        "agent_id: no such agent in your groups or the pools",
        "Call status or pool_list to see the ids.",
      );
}

/** The pools are visible to the whole household, a group to its members and owners. */
const isVisible = (stores: Stores, { group }: StoredGroupMember, caller: GroupPrincipal): boolean =>
  isPoolId(group) || caller.role === "owner" || listOwnIn(stores, group, caller).length > 0;

export function viewAgent(
  stores: Stores,
  caller: GroupPrincipal,
  memberships: readonly StoredGroupMember[],
  signs: SeenByGroup,
  now: number,
): AgentStatusView {
  const { key, id, name } = memberships.at(-1)!;
  const entry = stores.pool.find(key);
  const lastSeen = Math.max(
    entry?.seen ?? 0,
    ...memberships.map(({ group }) => signs.get(group)?.[key] ?? 0),
  );
  return {
    agent_id: id,
    name,
    online: isOnline(lastSeen, now),
    groups: memberships
      .filter((member) => !isPoolId(member.group) && isVisible(stores, member, caller))
      .map(({ group }) => group),
    ...defined({
      last_seen: lastSeen > 0 ? new Date(lastSeen).toISOString() : undefined,
      pool_status: entry && getPoolStatus(stores, entry, signs, now),
    }),
  };
}
