/** Closes groups. Their messages stay. */
import { toAuditSource } from "../../auth/audit-source.ts";
import type { GroupListing } from "../../contracts/household-groups.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import {
  refuseGroupNotFound,
  refuseNotOps,
  refuseUnknownMember,
} from "../../mess/groups/refusals.ts";
import { isPoolId, POOL_IDS } from "../../mess/groups/vocabulary.ts";
import { ok } from "../../mess/result.ts";
import type { Stores } from "../stores.ts";
import { findGroup, type GroupPrincipal, listOwnIn } from "./group-callers.ts";
import { syncGroup } from "./group-jobs.ts";
import { hasMemberId } from "./group-member-store.ts";
import { toListing } from "./list-groups.ts";
import { endClaim, releaseAgentsOf, removeEntry } from "./pools/release-agent.ts";

/** By ops of the group, or an owner. Closing a closed group changes nothing. */
export function closeGroup(
  stores: Stores,
  caller: GroupPrincipal,
  { group_id, my_ops_id }: { group_id: string; my_ops_id?: string },
  now: number,
): Outcome<GroupListing> {
  const found = findGroup(stores, group_id);
  if (!found.ok) return found;
  const own = listOwnIn(stores, group_id, caller);
  const isOwner = caller.role === "owner";
  if (own.length === 0 && !isOwner) return refuseGroupNotFound();
  const named = own.filter((member) => my_ops_id === undefined || hasMemberId(member, my_ops_id));
  const isOps = named.some(({ role }) => role === "ops");
  if (!isOps && !isOwner)
    return named.length === 0 ? refuseUnknownMember("my_ops_id") : refuseNotOps();
  if (found.value.status === "open") {
    close(stores, group_id, now);
    if (!isOps) {
      const source = toAuditSource(caller);
      stores.audit.append({ action: "group_closed", source, target: group_id }, now);
    }
  }
  return ok(toListing(stores, stores.groups.find(group_id)!, caller));
}

function close(stores: Stores, group: string, now: number): void {
  stores.groups.close(group);
  syncGroup(stores, group, now);
  releaseAgentsOf(stores, group, now);
}

/** Closes all groups and empties the pools. */
export function wipeGroups(
  stores: Stores,
  caller: GroupPrincipal,
  now: number,
): Outcome<{ groups: number; agents: number }> {
  if (caller.role !== "owner")
    return refuse("wrong_role", "only owners may wipe all groups", "Ask an owner to do it.");
  const entries = POOL_IDS.flatMap((pool) => stores.pool.list(pool));
  for (const entry of entries) {
    if (entry.claim && isPoolId(entry.claim.group)) endClaim(stores, entry, "released", now);
    removeEntry(stores, entry, now);
  }
  const open = stores.groups.listOpen();
  for (const { id } of open) close(stores, id, now);
  const wiped = { groups: open.length, agents: entries.length };
  const source = toAuditSource(caller);
  stores.audit.append({ action: "groups_wiped", source, detail: wiped }, now);
  return ok(wiped);
}
