/**
 * Agents of the pool that carry out requests. Such an agent is claimed by the pool itself for the request, so that it is
 * neither claimed for a group nor offered another request, and loses the claim when it is silent or released.
 */
import type { GroupNotice } from "../../../contracts/groups.ts";
import type { RequestAssignment } from "../../../contracts/household-groups.ts";
import { isMemberId } from "../../../mess/groups/ids.ts";
import { isPoolId, OFFLINE_AFTER_MS } from "../../../mess/groups/vocabulary.ts";
import type { Stores } from "../../stores.ts";
import { postToGroup } from "../group-jobs.ts";
import type { PoolEntry } from "./pool-store.ts";
import { getPoolStatus } from "./pool-views.ts";
import { endClaim } from "./release-agent.ts";
import type { SeenByGroup } from "./signs-of-life.ts";

/** The agent's entry while it is claimed for the request. */
export function findAssigned(
  { pool }: Stores,
  { agent, ref }: RequestAssignment,
): PoolEntry | undefined {
  const entry = isMemberId(agent) ? pool.find(agent) : undefined;
  return entry?.claim?.by === ref && isPoolId(entry.claim.group) ? entry : undefined;
}

/** @returns whether the agent is claimed for the request */
export function assignRequest(
  stores: Stores,
  assignment: RequestAssignment,
  signs: SeenByGroup,
  now: number,
): boolean {
  if (findAssigned(stores, assignment)) return true;
  const { agent, ref } = assignment;
  const entry = stores.pool.find(agent);
  if (!entry || getPoolStatus(stores, entry, signs, now) !== "available") return false;
  stores.pool.claim(agent, { group: entry.pool, by: ref, at: now }, now + OFFLINE_AFTER_MS);
  stores.pool.setJoined(agent);
  return true;
}

/** Does nothing where the agent is not claimed for the request. */
export function postAboutRequest(
  stores: Stores,
  assignment: RequestAssignment,
  message: Pick<GroupNotice, "id" | "type" | "content">,
  now: number,
): void {
  const entry = findAssigned(stores, assignment);
  if (!entry) return;
  const { key: to, pool, epoch } = entry;
  postToGroup(stores, pool, { ...message, to, epoch, request: assignment.ref }, now);
}

/** The request has ended, or another holds it. Does nothing where the agent is not claimed for the request. */
export function endRequestClaim(stores: Stores, assignment: RequestAssignment, now: number): void {
  const entry = findAssigned(stores, assignment);
  if (entry) endClaim(stores, entry, "ended", now);
}
