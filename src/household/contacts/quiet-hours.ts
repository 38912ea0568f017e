/** Computes until when a member must not be disturbed: outside its hours, or in its quiet hours. */
import {
  isWindowOpen,
  readWindow,
  type AvailabilityWindow,
} from "../../mess/routing/availability.ts";
import { buildClosedReason, buildQuietReason } from "../../mess/delay-reasons.ts";
import type { Executor } from "../../mess/routing/routing.ts";

/** Windows begin and end at full minutes. The search ends after a day; longer quiet periods are checked again then. */
const MINUTE_MS = 60_000;
const STEP_MS = 5 * MINUTE_MS;
const MAX_LOOKAHEAD_MS = 24 * 60 * MINUTE_MS;

type HoursSettings = Pick<Executor, "availability" | "schedule" | "time_zone"> & {
  quiet_hours?: string;
};

/** The first full minute after `now` in which the member may be disturbed. */
function findFirstFree(isFree: (instant: number) => boolean, now: number): number {
  const start = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  for (let at = start + STEP_MS; at <= start + MAX_LOOKAHEAD_MS; at += STEP_MS) {
    if (!isFree(at)) continue;
    let first = at;
    while (first - MINUTE_MS > start && isFree(first - MINUTE_MS)) first -= MINUTE_MS;
    return first;
  }
  return start + MAX_LOOKAHEAD_MS;
}

/** Undefined if the member may be disturbed now. `zone` is the household's, for members without a time zone. */
export function getQuietUntil(
  { availability, schedule, quiet_hours, time_zone }: HoursSettings,
  now: number,
  zone: string,
): { until: number; reason: string } | undefined {
  const at = time_zone ?? zone;
  const isBoundToSchedule = (availability ?? "schedule") === "schedule";
  const hours = isBoundToSchedule && schedule !== undefined ? readWindow(schedule) : undefined;
  const quiet = quiet_hours === undefined ? undefined : readWindow(quiet_hours);
  const isWithin = (
    window: AvailabilityWindow | undefined,
    instant: number,
    fallback: boolean,
  ): boolean => (window ? isWindowOpen(window, instant, at) : fallback);
  const isFree = (instant: number): boolean =>
    isWithin(hours, instant, true) && !isWithin(quiet, instant, false);
  if (isFree(now)) return undefined;
  const reason = isWithin(quiet, now, false)
    ? buildQuietReason(quiet_hours ?? "")
    : buildClosedReason(schedule ?? "");
  return { until: findFirstFree(isFree, now), reason };
}
