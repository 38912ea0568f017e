/** Deletes blobs from R2 to which no thread and no message of a source refers, once a day. */
import { getSourceStub, getThreadStub } from "../../stubs.ts";
import {
  countBlobBytes,
  hasBlobsOfDay,
  deleteUnreferencedBlobs,
} from "../../attachments/unreferenced-blobs.ts";
import { DAY_MS } from "./maintenance-jobs.ts";
import type { Stores } from "../stores.ts";

/** Full days between the day on which a blob was stored and its cleanup. Uploads without a message expire after one. */
const GRACE_DAYS = 2;
/** Limits of one alarm. */
const MAX_DAYS_PER_RUN = 7;
const MAX_PARALLEL_THREADS = 16;
/** The clocks of the Worker that names a blob's day and of the object that dates its message can differ. */
const CLOCK_DIFFERENCE_MS = 60 * 60 * 1000;
/** Delay after a failure. */
const RETRY_MS = 60 * 60 * 1000;

const toUtcDay = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

/** The first cleanup is that of the UTC day of `now`. */
export function initializeCleanup({ settings }: Stores, now: number): void {
  settings.set("swept", toUtcDay(now - DAY_MS));
  settings.set("files_counted", true);
}

/** Milliseconds after midnight. Differs between households, so that they do not all run at the same time. */
const getDailyOffsetMs = (household: string): number =>
  new TextEncoder().encode(household).reduce((sum, byte) => (sum * 31 + byte) % DAY_MS, 0);

/** When the next day may be cleaned up, in milliseconds since 1970. */
export function getNextCleanup({ settings }: Stores): number {
  const lastDay = Date.parse(settings.get("swept") ?? "");
  const due = lastDay + (2 + GRACE_DAYS) * DAY_MS + getDailyOffsetMs(settings.getHousehold().id);
  return Math.max(due, settings.get("sweep_after") ?? 0);
}

/** Lists the keys to which threads refer that changed since `instant`. Throws if one of the threads does not answer. */
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

/** Lists the keys to which messages of sources refer that arrived since `instant`. Throws if a source does not answer. */
async function listReferencedBySources(
  env: Pick<Env, "SOURCES">,
  { settings, messageSources }: Stores,
  instant: number,
): Promise<string[]> {
  const household = settings.getHousehold().id;
  const keys: string[] = [];
  for (const { name } of messageSources.list()) {
    const { messages } = getSourceStub(env, household, name);
    let after: number | undefined = 0;
    while (after !== undefined) {
      const page = await messages.listBlobKeys(instant - CLOCK_DIFFERENCE_MS, after);
      keys.push(...page.keys);
      after = page.next;
    }
  }
  return keys;
}

/**
 * Cleans up the days that are due. Only threads that changed on the day of a blob or later, and messages that arrived
 * then, can refer to it. A failure is retried after an hour; nothing is deleted before all of them have answered.
 */
export async function cleanUpBlobs(
  env: Pick<Env, "THREADS" | "SOURCES" | "BLOBS">,
  stores: Stores,
  now: number,
): Promise<void> {
  const { settings, storedFiles } = stores;
  const household = settings.getHousehold().id;
  try {
    if (getNextCleanup(stores) <= now && settings.get("files_counted") !== true) {
      const lastDay = settings.get("swept") ?? "";
      settings.set("files_counted", "counting");
      storedFiles.recount(lastDay, await countBlobBytes(env.BLOBS, household, lastDay));
      // Not where files were deleted during the count: the next cleanup counts them again.
      if (settings.get("files_counted") === "counting") settings.set("files_counted", true);
    }
    for (let done = 0; done < MAX_DAYS_PER_RUN && getNextCleanup(stores) <= now; done++) {
      const start = Date.parse(settings.get("swept") ?? "") + DAY_MS;
      const day = toUtcDay(start);
      let keptBytes = 0;
      if (await hasBlobsOfDay(env.BLOBS, household, day)) {
        const referenced = await listReferencedSince(env, stores, start);
        for (const key of await listReferencedBySources(env, stores, start)) referenced.add(key);
        keptBytes = await deleteUnreferencedBlobs(
          env.BLOBS,
          household,
          day,
          referenced,
          new Date(now - DAY_MS),
        );
      }
      storedFiles.settle(day, keptBytes);
      settings.set("swept", day);
    }
  } catch {
    settings.set("sweep_after", now + RETRY_MS);
  }
}
