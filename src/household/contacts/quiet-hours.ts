/** Until when a member is not to be disturbed: outside its hours, or in its quiet hours. */
import { isOpen, readWindow, type Window } from "../../mess/routing/availability.ts";
import type { Executor } from "../../mess/routing/routing.ts";

/** Milliseconds. Windows turn at full minutes; who is quiet for longer than a day is asked about again after one. */
const MINUTE = 60_000;
const STEP = 5 * MINUTE;
const LONGEST = 24 * 60 * MINUTE;

type Hours = Pick<Executor, "availability" | "schedule" | "time_zone"> & { quiet_hours?: string };

/** The first full minute after `now` at which the member may be disturbed. */
function firstFree(isFree: (instant: number) => boolean, now: number): number {
  const start = Math.floor(now / MINUTE) * MINUTE;
  for (let at = start + STEP; at <= start + LONGEST; at += STEP) {
    if (!isFree(at)) continue;
    let first = at;
    while (first - MINUTE > start && isFree(first - MINUTE)) first -= MINUTE;
    return first;
  }
  return start + LONGEST;
}

/** `zone` is the household's, for members without one of their own. Undefined where nothing is in the way. */
export function quietUntil(
  { availability, schedule, quiet_hours, time_zone }: Hours,
  now: number,
  zone: string,
): { until: number; reason: string } | undefined {
  const at = time_zone ?? zone;
  const bound = (availability ?? "schedule") === "schedule";
  const hours = bound && schedule !== undefined ? readWindow(schedule) : undefined;
  const quiet = quiet_hours === undefined ? undefined : readWindow(quiet_hours);
  const isIn = (window: Window | undefined, instant: number, otherwise: boolean): boolean =>
    window ? isOpen(window, instant, at) : otherwise;
  const isFree = (instant: number): boolean =>
    isIn(hours, instant, true) && !isIn(quiet, instant, false);
  if (isFree(now)) return undefined;
  const reason = isIn(quiet, now, false)
    ? `quiet hours (${quiet_hours})`
    : `outside its hours (${schedule})`;
  return { until: firstFree(isFree, now), reason };
}
