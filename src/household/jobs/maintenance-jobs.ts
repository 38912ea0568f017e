/** Expires threads that were never created, and deletes old rows. Runs in the alarm of the household. */
import type { Stores } from "../stores.ts";

const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;
/** A ref expires whose thread was not created by then. */
export const UNCREATED_EXPIRY_MS = 24 * HOUR_MS;
const GIVEN_UP_JOBS_RETENTION_MS = 30 * DAY_MS;

/** Expires refs whose thread was not created within a day, so that dependent threads do not wait for them. */
export function expireUncreated(stores: Stores, now: number): void {
  for (const ref of stores.threadCatalog.expireUncreated(now - UNCREATED_EXPIRY_MS))
    stores.dependencies.notifyDependents(ref, "expired", now);
}

/** Deletes old rows once a day. The alarm that is set for the daily blob cleanup runs this too. */
export function prune(
  { settings, audit, events, sentMessages, revocations, jobs, messageNotices }: Stores,
  now: number,
): void {
  if ((settings.get("pruned") ?? 0) > now - DAY_MS) return;
  audit.prune(now);
  events.prune(now);
  sentMessages.prune(now);
  revocations.prune(now);
  messageNotices.prune(now);
  jobs.dropGivenUpBefore(now - GIVEN_UP_JOBS_RETENTION_MS);
  settings.set("pruned", now);
}

/** When the oldest ref without a thread expires, in milliseconds since 1970. */
export function getNextExpiry({ threadCatalog }: Stores): number | undefined {
  const oldest = threadCatalog.getOldestUncreated();
  return oldest === undefined ? undefined : oldest + UNCREATED_EXPIRY_MS;
}
