/** Ends the claims of agents that give no sign of life, so that their tasks can be given to others. */
import { isPoolId, OFFLINE_AFTER_MS } from "../../../mess/groups/vocabulary.ts";
import { isFinal } from "../../../mess/status.ts";
import type { HouseholdContext } from "../../household-context.ts";
import type { Stores } from "../../stores.ts";
import { endClaim } from "./release-agent.ts";
import type { PoolEntry } from "./pool-store.ts";
import { isOnline } from "../../../mess/groups/presence.ts";
import { getLastSeen, listGroupsOf, readSignsOfLife } from "./signs-of-life.ts";

/** Delay where an object that may know of a sign of life did not answer. */
const RETRY_DELAY_MS = 60_000;

/** Runs in the household's alarm, which is set to the next check only while agents are claimed. */
export async function endSilentClaims(
  env: Pick<Env, "GROUPS">,
  context: HouseholdContext,
  stores: Stores,
  now: number,
): Promise<void> {
  const due = stores.pool.listDueChecks(now);
  if (due.length === 0) return;
  const household = stores.settings.getHousehold().id;
  const signs = await readSignsOfLife(env, household, due.flatMap(listGroupsOf));
  context.write(() => {
    for (const checked of due) {
      const entry = stores.pool.find(checked.key);
      if (!entry?.claim || !isSameClaim(entry, checked)) continue;
      const lastSeen = getLastSeen(entry, signs);
      stores.pool.setSeen(entry.key, lastSeen);
      if (isOnline(lastSeen, now)) {
        if (hasLostRequest(stores, entry)) endClaim(stores, entry, "released", now);
        else stores.pool.setCheckDue(entry.key, lastSeen + OFFLINE_AFTER_MS);
      } else if (listGroupsOf(entry).some((group) => !signs.has(group)))
        stores.pool.setCheckDue(entry.key, now + RETRY_DELAY_MS);
      else endClaim(stores, entry, "silent", now);
    }
  });
}

/**
 * The request seems to have ended or to have another holder, without a notice to the agent, such as after a crash. It is
 * given back in the agent's name: its thread knows better, and refuses that where it has nothing to take back.
 */
function hasLostRequest({ threadCatalog }: Stores, { key, claim }: PoolEntry): boolean {
  if (!claim || !isPoolId(claim.group)) return false;
  const request = threadCatalog.get(claim.by);
  return request?.executor !== key || isFinal(request.status);
}

/** The agent may have been released and claimed again while the objects were asked. */
const isSameClaim = ({ epoch }: PoolEntry, checked: PoolEntry): boolean => epoch === checked.epoch;
