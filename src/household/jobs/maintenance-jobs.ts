/** What a household's alarm does besides its jobs: it closes and drops what is over. */
import type { Stores } from "../stores.ts";

const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;
const GIVEN_UP_JOBS_KEPT_MS = 30 * DAY_MS;

/** A ref whose thread was not made for a day counts as expired, so that nothing waits for it any longer. */
export function expireUncreated(stores: Stores, now: number): void {
  for (const ref of stores.threadCatalog.expireUncreated(now - DAY_MS))
    stores.dependencies.noteEnd(ref, "expired", now);
}

/** Once a day, what is kept for a time is dropped. The daily blob cleanup has an alarm come for it. */
export function prune(
  { settings, events, sentMessages, revocations, jobs }: Stores,
  now: number,
): void {
  if ((settings.get("pruned") ?? 0) > now - DAY_MS) return;
  events.prune(now);
  sentMessages.prune(now);
  revocations.prune(now);
  jobs.dropGivenUpBefore(now - GIVEN_UP_JOBS_KEPT_MS);
  settings.set("pruned", now);
}

/** When the oldest ref whose thread was not made expires, in milliseconds since 1970. */
export function getNextExpiry({ threadCatalog }: Stores): number | undefined {
  const oldest = threadCatalog.getOldestUncreated();
  return oldest === undefined ? undefined : oldest + DAY_MS;
}
