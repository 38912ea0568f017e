/** Once a day: blobs that no thread refers to are deleted from R2. */
import { threadStub } from "../../stubs.ts";
import { hasBlobs, sweepDay } from "../../attachments/unreferenced-blobs.ts";
import { DAY } from "./maintenance-jobs.ts";
import type { Stores } from "../stores.ts";

/** Days between the storing of a blob and its sweep, over and above the day itself: uploads live for one. */
const GRACE = 2;
/** Days swept by one alarm, and threads asked at once. */
const AT_ONCE = 7;
const ASKED = 16;
/** After a failure, in milliseconds. */
const AGAIN = 60 * 60 * 1000;

const dayAt = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

/** Begins with the UTC day of the instant. */
export const beginSweeping = ({ settings }: Stores, now: number): void =>
  settings.set("swept", dayAt(now - DAY));

/** Milliseconds after midnight, so that not all households sweep at the same moment. */
const spread = (household: string): number =>
  new TextEncoder().encode(household).reduce((sum, byte) => (sum * 31 + byte) % DAY, 0);

/** When the day after the last one swept may be swept, in milliseconds since 1970. */
export function nextSweep({ settings }: Stores): number {
  const swept = Date.parse(settings.get("swept") ?? "");
  const due = swept + (2 + GRACE) * DAY + spread(settings.household().id);
  return Math.max(due, settings.get("sweep_after") ?? 0);
}

/** The keys that threads refer to which may have changed since; a thread that does not answer fails it. */
async function referencedSince(
  env: Pick<Env, "THREADS">,
  stores: Stores,
  instant: number,
): Promise<Set<string>> {
  const household = stores.settings.household().id;
  const refs = stores.catalogue.heardSince(instant);
  const keys = new Set<string>();
  for (let at = 0; at < refs.length; at += ASKED) {
    const asked = refs.slice(at, at + ASKED);
    const lists = await Promise.all(asked.map((ref) => threadStub(env, household, ref).blobKeys()));
    for (const key of lists.flat()) keys.add(key);
  }
  return keys;
}

/**
 * Sweeps the days that are due. A blob of one day can only be referred to by threads that changed on that day
 * or later. What fails is tried again an hour later, and nothing is deleted on incomplete knowledge.
 */
export async function sweepBlobs(
  env: Pick<Env, "THREADS" | "BLOBS">,
  stores: Stores,
  now: number,
): Promise<void> {
  const { settings } = stores;
  const household = settings.household().id;
  try {
    for (let done = 0; done < AT_ONCE && nextSweep(stores) <= now; done++) {
      const start = Date.parse(settings.get("swept") ?? "") + DAY;
      const day = dayAt(start);
      if (await hasBlobs(env.BLOBS, household, day)) {
        const referenced = await referencedSince(env, stores, start);
        await sweepDay(env.BLOBS, household, day, referenced, new Date(now - DAY));
      }
      settings.set("swept", day);
    }
  } catch {
    settings.set("sweep_after", now + AGAIN);
  }
}
