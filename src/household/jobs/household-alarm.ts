/** The alarm of a household: everything that is due, in a fixed order. */
import type { HouseholdContext } from "../household-context.ts";
import { endExpiredKeys } from "../identity/end-access.ts";
import type { Stores } from "../stores.ts";
import { fireSchedules } from "../schedules/fire-schedules.ts";
import { deleteOldGroupMessages } from "../memberships/group-retention.ts";
import { deleteOldSourceMessages } from "../message-sources/message-retention.ts";
import { endSilentClaims } from "../memberships/pools/silent-agents.ts";
import { openDueDigest } from "../message-sources/open-digest.ts";
import { cleanUpBlobs } from "./blob-cleanup.ts";
import { listDaily } from "./list-household.ts";
import { expireUncreated, prune } from "./maintenance-jobs.ts";

const endExpired = (
  storage: Pick<DurableObjectStorage, "transactionSync">,
  stores: Stores,
  now: number,
): boolean => storage.transactionSync(() => endExpiredKeys(stores, now));

export async function runHouseholdAlarm(
  env: Pick<Env, "THREADS" | "GROUPS" | "SOURCES" | "BLOBS" | "INDEX">,
  context: HouseholdContext,
): Promise<void> {
  const { storage } = context;
  const stores = context.openStores();
  if (!stores) return;
  await context.runAlarm(async () => {
    const now = Date.now();
    if (endExpired(storage, stores, now)) context.closeEndedSockets(stores);
    // Runs first, so that a defect in other work cannot keep ended access open.
    await context.runJobs(stores, "revokeLinks");
    storage.transactionSync(() => {
      expireUncreated(stores, now);
      prune(stores, now);
    });
    if (!stores.settings.isSuspended()) {
      await fireSchedules(storage, stores, now);
      openDueDigest(storage, stores, now);
    }
    await context.resealIfNeeded(stores);
    await endSilentClaims(env, context, stores, now);
    await context.runJobs(stores);
    await cleanUpBlobs(env, stores, now);
    await listDaily(env, stores, now);
    await deleteOldGroupMessages(env, stores, now);
    await deleteOldSourceMessages(env, stores, now);
  });
}
