/** What a household does by its alarm, again and again until it is done: nobody waits for it. */
import { threadStub } from "../../stubs.ts";
import type { DependencyEnd } from "../threads/dependencies.ts";
import type { Stores } from "../stores.ts";

const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;
/** Threads told in one go; the alarm comes again for the rest. */
const MAX_THREADS_PER_RUN = 50;

/** Tells threads that what they depend on has ended (decision 42). A failed call is tried again later. */
export async function notifyDependents(
  env: Pick<Env, "THREADS">,
  stores: Stores,
  now: number,
): Promise<void> {
  const household = stores.settings.getHousehold().id;
  const notify = async (unblock: DependencyEnd): Promise<void> => {
    try {
      await threadStub(env, household, unblock.ref).resolveDependency(
        unblock.dependency,
        unblock.status,
      );
      stores.dependencies.markNotified(unblock);
    } catch {
      stores.dependencies.postpone(unblock, now);
    }
  };
  await Promise.all(stores.dependencies.listDue(now, MAX_THREADS_PER_RUN).map(notify));
}

/** A ref whose thread was not made for a day counts as expired, so that nothing waits for it any longer. */
export function expireUncreated(stores: Stores, now: number): void {
  for (const ref of stores.threadCatalog.expireUncreated(now - DAY_MS)) {
    stores.dependencies.abandon(ref);
    stores.dependencies.noteEnd(ref, "expired", now);
  }
}

/** Once a day, what is kept for a time is dropped. The daily sweep sees to it that an alarm comes. */
export function prune({ settings, events, sentMessages, revocations }: Stores, now: number): void {
  if ((settings.get("pruned") ?? 0) > now - DAY_MS) return;
  events.prune(now);
  sentMessages.prune(now);
  revocations.prune(now);
  settings.set("pruned", now);
}

/** When the next of these is due, in milliseconds since 1970. */
export function getNextMaintenance(stores: Stores): number {
  const oldestUncreated = stores.threadCatalog.getOldestUncreated();
  return Math.min(
    stores.dependencies.getNextDue() ?? Infinity,
    stores.revocations.nextDue() ?? Infinity,
    stores.schedules.getNextDue() ?? Infinity,
    stores.threadJobs.getNextDue() ?? Infinity,
    oldestUncreated === undefined ? Infinity : oldestUncreated + DAY_MS,
  );
}
