/**
 * Reasons why an executor should not be offered a thread now. They only move it behind others, never exclude it,
 * since a request that nobody receives is worse than one that comes at a bad time.
 */
import { isWindowOpen, readWindow } from "./availability.ts";
import { PRIORITIES } from "../envelope.ts";
import { getEffectivePriority } from "./priority.ts";
import type { Executor, RouteContext, RouteRequest } from "./routing.ts";
import { readTime, writeTime } from "../times.ts";

export interface UnavailabilityReason {
  /** A text such as `at capacity (2 of 2)`. */
  reason: string;
  /** 1: a preference of the member (on demand). 2: a stated limit. */
  weight: 1 | 2;
  /** The reason ends with time; the others are permanent settings of the member. */
  isTemporary?: true;
}

/** Returns when the work may begin: hours and absences are checked for this instant. */
const getStart = (request: RouteRequest, { now, zone }: RouteContext): number =>
  Math.max(now, readTime(request.constraints?.timing?.not_before ?? "", zone) ?? 0);

const isWithinSpan = (
  span: string,
  executor: Executor,
  at: number,
  zone: string,
): boolean | undefined => {
  const window = readWindow(span);
  return window && isWindowOpen(window, at, executor.time_zone ?? zone);
};

const formatSpan = (span: string, { time_zone }: Executor): string =>
  `${span}${time_zone === undefined ? "" : `, ${time_zone}`}`;

/** @param preferred true where a rule that matches the request names the executor */
export function listUnavailabilityReasons(
  executor: Executor,
  request: RouteRequest,
  context: RouteContext,
  preferred: boolean,
): UnavailabilityReason[] {
  const { id, availability, schedule, capacity, min_priority } = executor;
  const start = getStart(request, context);
  const found: UnavailabilityReason[] = [];
  if (availability === "on_demand" && !preferred)
    found.push({ reason: "on demand only", weight: 1 });
  // A window that cannot be read counts as open.
  const scheduled = (availability ?? "schedule") === "schedule" ? schedule : undefined;
  if (scheduled !== undefined && isWithinSpan(scheduled, executor, start, context.zone) === false)
    found.push(toTemporaryReason(`outside its hours (${formatSpan(scheduled, executor)})`));
  const heldThreads = context.load?.[id] ?? 0;
  if (capacity !== undefined && heldThreads >= capacity)
    found.push(toTemporaryReason(`at capacity (${heldThreads} of ${capacity})`));
  const priority = getEffectivePriority(request);
  if (min_priority !== undefined && PRIORITIES.indexOf(priority) < PRIORITIES.indexOf(min_priority))
    found.push({ reason: `accepts only priority ${min_priority} or higher`, weight: 2 });
  const until = context.away?.[id];
  if (until === null) found.push(toTemporaryReason("away"));
  else if (until !== undefined && until > start)
    found.push(toTemporaryReason(`away until ${writeTime(until, context.zone)}`));
  return found;
}

const toTemporaryReason = (reason: string): UnavailabilityReason => ({
  reason,
  weight: 2,
  isTemporary: true,
});

/** Describes why the member is unavailable when it is about to be notified; undefined where it is available. */
export function getUnavailability(executor: Executor, context: RouteContext): string | undefined {
  const found = listUnavailabilityReasons(executor, {}, context, true).filter(
    ({ isTemporary: passes }) => passes,
  );
  return found.length === 0 ? undefined : found.map(({ reason }) => reason).join("; ");
}

/** Returns the route's note for a member in its quiet hours, undefined outside of them and for urgent requests. */
export function getQuietHoursNote(
  executor: Executor,
  request: RouteRequest,
  context: RouteContext,
): string | undefined {
  const { quiet_hours } = executor;
  if (quiet_hours === undefined || getEffectivePriority(request) === "urgent") return undefined;
  const quiet = isWithinSpan(quiet_hours, executor, getStart(request, context), context.zone);
  return quiet
    ? `in its quiet hours (${formatSpan(quiet_hours, executor)}), notified afterwards`
    : undefined;
}
