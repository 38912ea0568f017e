/** Registers agents and ops in the household's pools. */
import type { NewPoolEntry } from "../../../contracts/household-groups.ts";
import { defined } from "../../../mess/defined.ts";
import { type Outcome, refuse } from "../../../mess/errors.ts";
import { GROUP_LIMITS, type PoolId } from "../../../mess/groups/vocabulary.ts";
import { ok } from "../../../mess/result.ts";
import type { Stores } from "../../stores.ts";
import { adoptMember, type GroupPrincipal, refuseNameTaken } from "../group-callers.ts";
import { createId, syncGroup } from "../group-jobs.ts";

const POOL_TOPICS: Readonly<Record<PoolId, string>> = {
  agents: "Agents that wait for work",
  ops: "Ops that wait for work",
};

/** @returns the key of the entry; the same name with the same credential has one */
export function registerInPool(
  stores: Stores,
  caller: GroupPrincipal,
  { pool, name, capabilities, terminal_info }: NewPoolEntry,
  now: number,
): Outcome<string> {
  const known = stores.groupMembers.findByName(pool, name);
  if (known && !adoptMember(stores, known, caller, now)) return refuseNameTaken(name);
  if (!known && stores.pool.countOf(caller.actor) >= GROUP_LIMITS.poolEntriesPerMember)
    return refuse(
      "too_many",
      `you have ${GROUP_LIMITS.poolEntriesPerMember} entries in the pools`,
      "Remove entries that are no longer used with pool_release and remove.",
    );
  if (!known && stores.pool.count() >= GROUP_LIMITS.poolEntries)
    return refuse(
      "too_many",
      `the pools have ${GROUP_LIMITS.poolEntries} entries`,
      "Remove entries that are no longer used with pool_release and remove.",
    );
  const key = known?.key ?? addEntry(stores, caller, pool, name, now);
  stores.pool.describe(key, defined({ capabilities, terminal_info }));
  stores.pool.setSeen(key, now);
  return ok(key);
}

function addEntry(
  stores: Stores,
  { actor, credential }: GroupPrincipal,
  pool: PoolId,
  name: string,
  now: number,
): string {
  if (!stores.groups.find(pool))
    stores.groups.add({ id: pool, topic: POOL_TOPICS[pool], created: now });
  const key = createId(pool === "ops" ? "o" : "a");
  const role = pool === "ops" ? "ops" : "agent";
  stores.groupMembers.put({ group: pool, key, name, role, actor, credential, joined: now });
  stores.pool.add(key, pool, now);
  syncGroup(stores, pool, now);
  return key;
}
