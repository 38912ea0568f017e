/** Ends claims: by release, because the group was closed, or because the agent was silent. */
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { ok } from "../../../mess/result.ts";
import type { AssignmentEnd } from "../../../contracts/groups.ts";
import type { ReleaseInput } from "../../../contracts/household-groups.ts";
import type { Stores } from "../../stores.ts";
import { findPoolEntry, refuseUnknownAgent } from "./claim-agent.ts";
import { type GroupPrincipal, listOwnIn } from "../group-callers.ts";
import { isPoolId } from "../../../mess/groups/vocabulary.ts";
import { createId, endAssignment, postToGroup, syncGroup } from "../group-jobs.ts";
import { recallFacts, rememberFact } from "../recent-calls.ts";
import type { PoolEntry } from "./pool-store.ts";

/**
 * By the agent itself, ops of the group that claimed it, or an owner. Does nothing to an entry that is not claimed, or
 * whose claim is not the one that `epoch` names.
 */
export function releaseAgent(
  stores: Stores,
  caller: GroupPrincipal,
  { agent_id, epoch, remove = false }: ReleaseInput,
  now: number,
): Outcome<PoolEntry> {
  const entry = findPoolEntry(stores, agent_id);
  if (!entry) return refuseUnknownAgent();
  const { key, pool, claim } = entry;
  const isSelf = stores.groupMembers.find(pool, key)?.credential === caller.credential;
  const isAllowed =
    isSelf || caller.role === "owner" || (claim && isOps(stores, claim.group, caller));
  // Ops that release an agent twice, or whose agent was taken back meanwhile, have what they want.
  if (!isAllowed && (claim || remove))
    return refuse(
      "wrong_role",
      "agent_id: the agent is not claimed for a group of which you are ops",
      "Only the agent itself, the ops of its group and owners release it.",
    );
  if (isSelf) stores.pool.setSeen(key, now);
  if (claim) {
    const call = { kind: `release ${key} ${remove}`, subject: caller.credential };
    if (epoch !== undefined && epoch !== entry.epoch) return ok(entry);
    // The call may be repeated since its response was lost, and must not end a claim that was made meanwhile.
    const isRepeated = epoch === undefined && recallFacts(stores, call, now).length > 0;
    if (isRepeated) return refuseLaterClaim(entry);
    rememberFact(stores, { ...call, fact: entry.epoch }, now);
    endClaim(stores, entry, "released", now);
  }
  if (remove) removeEntry(stores, entry, now);
  else if (claim && !isSelf)
    postToAgent(stores, entry, `You were released from ${describePlace(claim.group)}.`, now);
  return ok(entry);
}

const refuseLaterClaim = ({ epoch }: PoolEntry) =>
  refuse(
    "confirmation_required",
    `you released the agent a moment ago, and it was claimed again with epoch ${epoch}`,
    `Nothing is left to do if you repeat that release. To end the later claim, call again with epoch ${epoch}.`,
  );

const describePlace = (group: string): string =>
  isPoolId(group) ? "your request" : `the group ${group}`;

const isOps = (stores: Stores, group: string, caller: GroupPrincipal): boolean =>
  listOwnIn(stores, group, caller).some(({ role }) => role === "ops");

/** Gives the open tasks of the claim back. The agent stays a member of the group, so that both can still read. */
export function endClaim(
  stores: Stores,
  { key, epoch, claim }: PoolEntry,
  reason: AssignmentEnd["reason"],
  now: number,
): void {
  stores.pool.endClaim(key);
  // The record of the group names the claims of its agents.
  syncGroup(stores, claim!.group, now);
  endAssignment(
    stores,
    claim!.group,
    { key: `end ${key} ${epoch}`, agent: key, epoch, reason },
    now,
  );
}

export function removeEntry(stores: Stores, { key, pool }: PoolEntry, now: number): void {
  stores.pool.remove(key);
  stores.groupMembers.remove(pool, key, now);
  syncGroup(stores, pool, now);
}

/** The agents that were claimed for a group that closes are available again. Their tasks stay as they are. */
export function releaseAgentsOf(stores: Stores, group: string, now: number): void {
  for (const entry of stores.pool.listClaimedFor(group)) {
    stores.pool.endClaim(entry.key);
    postToAgent(stores, entry, `The group ${group} was closed.`, now);
  }
}

function postToAgent(stores: Stores, entry: PoolEntry, news: string, now: number): void {
  const notice = {
    id: createId("msg"),
    to: entry.key,
    type: "message" as const,
    content: `${news} You are available in the pool again: wait there for your next assignment.`,
  };
  postToGroup(stores, entry.pool, notice, now);
}
