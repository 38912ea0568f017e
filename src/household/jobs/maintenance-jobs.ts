/** What a household does by its alarm, again and again until it is done: nobody waits for it. */
import { threadStub } from "../../stubs.ts";
import type { Unblock } from "../threads/dependencies.ts";
import type { Stores } from "../stores.ts";

const HOUR = 60 * 60 * 1000;
export const DAY = 24 * HOUR;
/** Threads told in one go; the alarm comes again for the rest. */
const AT_ONCE = 50;

/** Tells threads that what they depend on has ended (decision 42). A failed call is tried again later. */
export async function tellDependents(
  env: Pick<Env, "THREADS">,
  stores: Stores,
  now: number,
): Promise<void> {
  const household = stores.settings.household().id;
  const tell = async (unblock: Unblock): Promise<void> => {
    try {
      await threadStub(env, household, unblock.ref).unblock(unblock.dependency, unblock.status);
      stores.dependencies.told(unblock);
    } catch {
      stores.dependencies.postpone(unblock, now);
    }
  };
  await Promise.all(stores.dependencies.due(now, AT_ONCE).map(tell));
}

/** A ref whose thread was not made for a day counts as expired, so that nothing waits for it any longer. */
export function expireUnmade(stores: Stores, now: number): void {
  for (const ref of stores.catalogue.expireUnmade(now - DAY)) {
    stores.dependencies.abandon(ref);
    stores.dependencies.ended(ref, "expired", now);
  }
}

/** Once a day, what is kept for a time is dropped. The daily sweep sees to it that an alarm comes. */
export function prune({ settings, events, sendings, revocations }: Stores, now: number): void {
  if ((settings.get("pruned") ?? 0) > now - DAY) return;
  events.prune(now);
  sendings.prune(now);
  revocations.prune(now);
  settings.set("pruned", now);
}

/** When the next of these is due, in milliseconds since 1970. */
export function nextChore(stores: Stores): number {
  const unmade = stores.catalogue.oldestUnmade();
  return Math.min(
    stores.dependencies.nextDue() ?? Infinity,
    stores.revocations.nextDue() ?? Infinity,
    stores.schedules.nextDue() ?? Infinity,
    stores.errands.nextDue() ?? Infinity,
    unmade === undefined ? Infinity : unmade + DAY,
  );
}
