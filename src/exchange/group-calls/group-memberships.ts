/**
 * The calls of AI groups that the household decides: memberships, handoffs and pools. One function for each operation,
 * which the tools and the routes share.
 */
import { refuseUnauthenticated } from "../../auth/unauthenticated.ts";
import type { Principal } from "../../auth/principal.ts";
import type {
  AgentStatusView,
  Claim,
  ClaimInput,
  GroupListing,
  GroupsRpc,
  NewMembership,
  NewPoolEntry,
  PoolEntryView,
  ReleaseInput,
  Transfer,
  TransferInput,
} from "../../contracts/household-groups.ts";
import { type Outcome, refuse } from "../../mess/errors.ts";
import type { PoolId, PoolStatus } from "../../mess/groups/vocabulary.ts";
import { ok } from "../../mess/result.ts";
import { getHouseholdStub } from "../../stubs.ts";
import type { ExchangeBindings } from "../with-thread.ts";

/** Runs `work` on the household's groups. Links give access to one thread, and to nothing else. */
export async function callGroups<T>(
  env: ExchangeBindings,
  principal: Principal,
  work: (groups: GroupsRpc) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  if (principal.credential === undefined || principal.scope) return refuseUnauthenticated();
  return await work(getHouseholdStub(env, principal.household).groups);
}

export const createGroup = (
  env: ExchangeBindings,
  principal: Principal,
  input: { topic: string; my_name?: string; description?: string; key?: string },
): Promise<Outcome<NewMembership>> =>
  callGroups(env, principal, (groups) => groups.initiate(principal, input));

export const joinGroup = (
  env: ExchangeBindings,
  principal: Principal,
  input: { group_id: string; my_name?: string; as_ops?: boolean; assigned_by?: string },
): Promise<Outcome<NewMembership>> =>
  callGroups(env, principal, (groups) => groups.join(principal, input));

/** The caller's groups; all groups for an owner. */
export const listGroups = (
  env: ExchangeBindings,
  principal: Principal,
): Promise<Outcome<GroupListing[]>> =>
  callGroups(env, principal, (groups) => groups.list(principal));

export const closeGroup = (
  env: ExchangeBindings,
  principal: Principal,
  input: { group_id: string; my_ops_id?: string },
): Promise<Outcome<GroupListing>> =>
  callGroups(env, principal, (groups) => groups.close(principal, input));

/** Offers the role of the primary ops; accepts it where the receiver repeats the call. */
export const transferOps = (
  env: ExchangeBindings,
  principal: Principal,
  input: TransferInput,
): Promise<Outcome<Transfer>> =>
  callGroups(env, principal, (groups) => groups.transfer(principal, input));

export const registerInPool = (
  env: ExchangeBindings,
  principal: Principal,
  entry: NewPoolEntry,
): Promise<Outcome<PoolEntryView>> =>
  callGroups(env, principal, (groups) => groups.register(principal, entry));

export const listPool = (
  env: ExchangeBindings,
  principal: Principal,
  query: { pool: PoolId; status?: PoolStatus },
): Promise<Outcome<PoolEntryView[]>> =>
  callGroups(env, principal, (groups) => groups.listPool(principal, query));

export const claimFromPool = (
  env: ExchangeBindings,
  principal: Principal,
  input: ClaimInput,
): Promise<Outcome<Claim>> =>
  callGroups(env, principal, (groups) => groups.claim(principal, input));

export const releaseToPool = (
  env: ExchangeBindings,
  principal: Principal,
  input: ReleaseInput,
): Promise<Outcome<PoolEntryView>> =>
  callGroups(env, principal, (groups) => groups.release(principal, input));

export const readAgentStatus = (
  env: ExchangeBindings,
  principal: Principal,
  agent_id: string,
): Promise<Outcome<AgentStatusView>> =>
  callGroups(env, principal, (groups) => groups.agentStatus(principal, { agent_id }));

/**
 * Closes all groups and empties the pools.
 * @param confirm must be the household's id; without it the refusal says how much would be wiped
 */
export const wipeGroups = (
  env: ExchangeBindings,
  principal: Principal,
  confirm: string | undefined,
): Promise<Outcome<{ groups: number; agents: number }>> =>
  callGroups(env, principal, async (groups) => {
    if (principal.role !== "owner")
      return refuse("wrong_role", "only owners may wipe all groups", "Ask an owner to do it.");
    if (confirm === principal.household) return await groups.wipe(principal);
    const counts = await countWiped(groups, principal);
    if (!counts.ok) return counts;
    const { open, agents } = counts.value;
    return refuse(
      "confirmation_required",
      `this closes ${open} open groups and removes ${agents} entries from the pools; messages are kept`,
      `Ask the user, then call again with confirm: ${principal.household}.`,
    );
  });

async function countWiped(
  groups: GroupsRpc,
  principal: Principal,
): Promise<Outcome<{ open: number; agents: number }>> {
  const listed = await groups.list(principal);
  if (!listed.ok) return listed;
  const agents = await groups.listPool(principal, { pool: "agents" });
  if (!agents.ok) return agents;
  const ops = await groups.listPool(principal, { pool: "ops" });
  if (!ops.ok) return ops;
  return ok({
    open: listed.value.filter(({ status }) => status === "open").length,
    agents: agents.value.length + ops.value.length,
  });
}
