/** Once a day: blobs that no thread refers to are deleted from R2. */
import { getThreadStub } from "../../stubs.ts";
import { hasBlobsOfDay, deleteUnreferencedBlobs } from "../../attachments/unreferenced-blobs.ts";
import { DAY_MS } from "./maintenance-jobs.ts";
import type { Stores } from "../stores.ts";

/** Days between the storing of a blob and its sweep, over and above the day itself: uploads live for one. */
const GRACE_DAYS = 2;
/** Days swept by one alarm, and threads asked at once. */
const MAX_DAYS_PER_RUN = 7;
const MAX_PARALLEL_THREADS = 16;
/** After a failure, in milliseconds. */
const RETRY_MS = 60 * 60 * 1000;

const toUtcDay = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

/** Begins with the UTC day of the instant. */
export const initializeCleanup = ({ settings }: Stores, now: number): void =>
  settings.set("swept", toUtcDay(now - DAY_MS));

/** Milliseconds after midnight, so that not all households sweep at the same moment. */
const getDailyOffsetMs = (household: string): number =>
  new TextEncoder().encode(household).reduce((sum, byte) => (sum * 31 + byte) % DAY_MS, 0);

/** When the day after the last one swept may be swept, in milliseconds since 1970. */
export function getNextCleanup({ settings }: Stores): number {
  const lastDay = Date.parse(settings.get("swept") ?? "");
  const due = lastDay + (2 + GRACE_DAYS) * DAY_MS + getDailyOffsetMs(settings.getHousehold().id);
  return Math.max(due, settings.get("sweep_after") ?? 0);
}

/** The keys that threads refer to which may have changed since; a thread that does not answer fails it. */
async function listReferencedSince(
  env: Pick<Env, "THREADS">,
  stores: Stores,
  instant: number,
): Promise<Set<string>> {
  const household = stores.settings.getHousehold().id;
  const refs = stores.threadCatalog.listChangedSince(instant);
  const keys = new Set<string>();
  for (let at = 0; at < refs.length; at += MAX_PARALLEL_THREADS) {
    const batch = refs.slice(at, at + MAX_PARALLEL_THREADS);
    const lists = await Promise.all(
      batch.map((ref) => getThreadStub(env, household, ref).listBlobKeys()),
    );
    for (const key of lists.flat()) keys.add(key);
  }
  return keys;
}

/**
 * Sweeps the days that are due. A blob of one day can only be referred to by threads that changed on that day
 * or later. What fails is tried again an hour later, and nothing is deleted on incomplete knowledge.
 */
export async function cleanUpBlobs(
  env: Pick<Env, "THREADS" | "BLOBS">,
  stores: Stores,
  now: number,
): Promise<void> {
  const { settings } = stores;
  const household = settings.getHousehold().id;
  try {
    for (let done = 0; done < MAX_DAYS_PER_RUN && getNextCleanup(stores) <= now; done++) {
      const start = Date.parse(settings.get("swept") ?? "") + DAY_MS;
      const day = toUtcDay(start);
      if (await hasBlobsOfDay(env.BLOBS, household, day)) {
        const referenced = await listReferencedSince(env, stores, start);
        await deleteUnreferencedBlobs(
          env.BLOBS,
          household,
          day,
          referenced,
          new Date(now - DAY_MS),
        );
      }
      settings.set("swept", day);
    }
  } catch {
    settings.set("sweep_after", now + RETRY_MS);
  }
}
