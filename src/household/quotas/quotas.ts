/** Checks what a household creates against its quotas. Run the checks in the transaction that creates it. */
import type { NewFiles, QuotaUsage } from "../../contracts/quotas.ts";
import type { MessError } from "../../mess/errors.ts";
import { type QuotaLimits, type QuotaName, refuseQuota, resolveLimits } from "../../mess/quotas.ts";
import { getDay } from "../../mess/times.ts";
import type { Stores } from "../stores.ts";
import { getSecondsToNextDay } from "./stored-files.ts";

type Count = readonly [name: QuotaName, used: number];

const HOUR_MS = 3_600_000;

export const getLimits = ({ settings, deploymentLimits }: Stores): QuotaLimits =>
  resolveLimits(deploymentLimits, settings.get("limits") ?? {});

/** The first quota that `added` more would exceed. */
function findExceeded(
  stores: Stores,
  counts: readonly Count[],
  added: number,
  retrySeconds?: number,
): MessError | undefined {
  const limits = getLimits(stores);
  const exceeded = counts.find(([name, used]) => used + added > limits[name]);
  return exceeded && refuseQuota(exceeded[0], limits[exceeded[0]], retrySeconds).error;
}

const countOf = (counts: readonly { actor: string; count: number }[], actor: string): number =>
  counts.find((one) => one.actor === actor)?.count ?? 0;

const sumOf = (counts: readonly { count: number }[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0);

/** The rest of the household's day, rounded up to hours, so that a change of the clock cannot make it too short. */
function getSecondsOfDayLeft(zone: string, now: number): number {
  const today = getDay(now, zone);
  let hours = 1;
  while (hours < 24 && getDay(now + hours * HOUR_MS, zone) === today) hours++;
  return hours * 3_600;
}

/** New threads of a member: open ones, and those of the household's day. */
export function checkNewThreads(
  stores: Stores,
  actor: string,
  added: number,
  now: number,
): MessError | undefined {
  const { threadCatalog, settings } = stores;
  if (added === 0) return undefined;
  const open = threadCatalog.counts.countOpen();
  const zone = settings.getZone();
  const today = threadCatalog.counts.countOfDay(getDay(now, zone));
  return (
    findExceeded(
      stores,
      [
        ["open_threads_per_member", countOf(open, actor)],
        ["open_threads_per_household", sumOf(open)],
      ],
      added,
    ) ??
    findExceeded(
      stores,
      [
        ["new_threads_per_member", countOf(today, actor)],
        ["new_threads_per_household", sumOf(today)],
      ],
      added,
      getSecondsOfDayLeft(zone, now),
    )
  );
}

/** One more of what every member and the household may have a number of. */
const checkOneMore = (
  stores: Stores,
  what: "schedules" | "keys",
  counts: readonly { actor: string; count: number }[],
  actor: string,
): MessError | undefined =>
  findExceeded(
    stores,
    [
      [`${what}_per_member`, countOf(counts, actor)],
      [`${what}_per_household`, sumOf(counts)],
    ],
    1,
  );

export const checkNewSchedule = (stores: Stores, actor: string): MessError | undefined =>
  checkOneMore(stores, "schedules", stores.schedules.countByActor(), actor);

export const checkNewKey = (stores: Stores, actor: string): MessError | undefined =>
  checkOneMore(stores, "keys", stores.credentials.countByActor(), actor);

export function checkNewFiles(
  stores: Stores,
  { actor, files, bytes }: NewFiles,
  now: number,
): MessError | undefined {
  const { storedFiles } = stores;
  const own = storedFiles.listToday(now).find((one) => one.actor === actor);
  const wait = getSecondsToNextDay(now);
  return (
    findExceeded(stores, [["uploads_per_member", own?.files ?? 0]], files, wait) ??
    findExceeded(stores, [["upload_bytes_per_member", own?.bytes ?? 0]], bytes, wait) ??
    findExceeded(stores, [["stored_bytes_per_household", storedFiles.countBytes()]], bytes)
  );
}

/** Everything that the quotas of the household count. */
export function readUsage(stores: Stores, now: number): QuotaUsage {
  const { threadCatalog, schedules, credentials, storedFiles, settings } = stores;
  const members: QuotaUsage["members"] = {};
  const household: QuotaUsage["household"] = {};
  const record = (
    name: "open_threads" | "new_threads" | "schedules" | "keys",
    counts: readonly { actor: string; count: number }[],
  ) => {
    household[`${name}_per_household`] = sumOf(counts);
    for (const { actor, count } of counts) (members[actor] ??= {})[`${name}_per_member`] = count;
  };
  record("open_threads", threadCatalog.counts.countOpen());
  record("new_threads", threadCatalog.counts.countOfDay(getDay(now, settings.getZone())));
  record("schedules", schedules.countByActor());
  record("keys", credentials.countByActor());
  household.stored_bytes_per_household = storedFiles.countBytes();
  for (const { actor, files, bytes } of storedFiles.listToday(now))
    Object.assign((members[actor] ??= {}), {
      uploads_per_member: files,
      upload_bytes_per_member: bytes,
    });
  return { limits: getLimits(stores), changed: settings.get("limits") ?? {}, household, members };
}
