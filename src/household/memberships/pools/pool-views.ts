/** Pool entries as callers see them. */
import type { PoolEntryView } from "../../../contracts/household-groups.ts";
import { defined } from "../../../mess/defined.ts";
import { isPoolId, type PoolId, type PoolStatus } from "../../../mess/groups/vocabulary.ts";
import { isLive } from "../../identity/end-access.ts";
import type { Stores } from "../../stores.ts";
import type { GroupPrincipal } from "../group-callers.ts";
import { listOwnIn } from "../group-callers.ts";
import type { PoolClaim, PoolEntry } from "./pool-store.ts";
import { isOnline } from "../../../mess/groups/presence.ts";
import { getLastSeen, type SeenByGroup } from "./signs-of-life.ts";

export function getPoolStatus(
  stores: Stores,
  entry: PoolEntry,
  signs: SeenByGroup,
  now: number,
): PoolStatus {
  const member = stores.groupMembers.find(entry.pool, entry.key);
  const isReachable =
    isOnline(getLastSeen(entry, signs), now) &&
    member !== undefined &&
    isLive(stores, member.credential, now);
  if (!isReachable) return "offline";
  if (!entry.claim) return "available";
  return entry.claim.joined ? "working" : "claimed";
}

/** The entries of the pool, the longest waiting first. */
export function viewPool(
  stores: Stores,
  pool: PoolId,
  caller: GroupPrincipal,
  signs: SeenByGroup,
  now: number,
): PoolEntryView[] {
  let position = 0;
  return stores.pool
    .list(pool)
    .map((entry) =>
      viewEntry(stores, entry, entry.claim ? undefined : ++position, caller, signs, now),
    );
}

export function viewEntry(
  stores: Stores,
  entry: PoolEntry,
  position: number | undefined,
  caller: GroupPrincipal,
  signs: SeenByGroup,
  now: number,
): PoolEntryView {
  const { key, pool, capabilities, terminal_info, registered, claim } = entry;
  const isShown = claim && (caller.role === "owner" || isConcerned(stores, key, claim, caller));
  return {
    agent_id: key,
    name: stores.groupMembers.find(pool, key)?.name ?? key,
    status: getPoolStatus(stores, entry, signs, now),
    registered: new Date(registered).toISOString(),
    last_seen: new Date(getLastSeen(entry, signs)).toISOString(),
    ...defined({ terminal_info, position }),
    ...(capabilities.length > 0 ? { capabilities } : {}),
    ...(isShown
      ? {
          claimed_by: stores.groupMembers.find(claim.group, claim.by)?.id ?? claim.by,
          group_id: claim.group,
        }
      : {}),
  };
}

/** A group is shown to its members only, since whoever knows its id can join it, and a request to its own agent. */
const isConcerned = (
  stores: Stores,
  key: string,
  { group }: PoolClaim,
  caller: GroupPrincipal,
): boolean => listOwnIn(stores, group, caller).some((one) => !isPoolId(group) || one.key === key);
