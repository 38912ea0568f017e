/**
 * Why a member had better not be asked now: each counts only while somebody else can be. Nobody is left out for good,
 * since a request that reaches nobody is worse than one that comes at a bad time.
 */
import { isOpen, readWindow } from "./availability.ts";
import { PRIORITIES } from "../envelope.ts";
import { effectivePriority } from "./priority.ts";
import type { Executor, RouteContext, RouteRequest } from "./routing.ts";
import { readTime, writeTime } from "../times.ts";

export interface Hindrance {
  /** In words, such as `at capacity (2 of 2)`. */
  reason: string;
  /** 1: it would rather not. 2: it said not to. */
  weight: 1 | 2;
  /** It passes with time; the others are how the member wants to be asked at all. */
  passes?: true;
}

/** When the work may begin: the moment by which hours and absences are judged. */
const startOf = (request: RouteRequest, { now, zone }: RouteContext): number =>
  Math.max(now, readTime(request.constraints?.timing?.not_before ?? "", zone) ?? 0);

const within = (
  span: string,
  executor: Executor,
  at: number,
  zone: string,
): boolean | undefined => {
  const window = readWindow(span);
  return window && isOpen(window, at, executor.time_zone ?? zone);
};

const spanOf = (span: string, { time_zone }: Executor): string =>
  `${span}${time_zone === undefined ? "" : `, ${time_zone}`}`;

/** @param preferred a rule that matches the request names the executor */
export function hindrancesOf(
  executor: Executor,
  request: RouteRequest,
  context: RouteContext,
  preferred: boolean,
): Hindrance[] {
  const { id, availability, schedule, capacity, min_priority } = executor;
  const start = startOf(request, context);
  const found: Hindrance[] = [];
  if (availability === "on_demand" && !preferred)
    found.push({ reason: "on demand only", weight: 1 });
  // Unreadable windows never close.
  const scheduled = (availability ?? "schedule") === "schedule" ? schedule : undefined;
  if (scheduled !== undefined && within(scheduled, executor, start, context.zone) === false)
    found.push(passing(`outside its hours (${spanOf(scheduled, executor)})`));
  const held = context.load?.[id] ?? 0;
  if (capacity !== undefined && held >= capacity)
    found.push(passing(`at capacity (${held} of ${capacity})`));
  const priority = effectivePriority(request);
  if (min_priority !== undefined && PRIORITIES.indexOf(priority) < PRIORITIES.indexOf(min_priority))
    found.push({ reason: `only asked for what is ${min_priority} or above`, weight: 2 });
  const until = context.away?.[id];
  if (until === null) found.push(passing("away"));
  else if (until !== undefined && until > start)
    found.push(passing(`away until ${writeTime(until, context.zone)}`));
  return found;
}

const passing = (reason: string): Hindrance => ({ reason, weight: 2, passes: true });

/** What hinders a member at the moment at which it is to be told, in words; undefined where nothing does. */
export function hinderedNow(executor: Executor, context: RouteContext): string | undefined {
  const found = hindrancesOf(executor, {}, context, true).filter(({ passes }) => passes);
  return found.length === 0 ? undefined : found.map(({ reason }) => reason).join("; ");
}

/** What is told of a member who is asked but not disturbed; undefined outside of its quiet hours. */
export function quietNow(
  executor: Executor,
  request: RouteRequest,
  context: RouteContext,
): string | undefined {
  const { quiet_hours } = executor;
  if (quiet_hours === undefined || effectivePriority(request) === "urgent") return undefined;
  const quiet = within(quiet_hours, executor, startOf(request, context), context.zone);
  return quiet
    ? `in its quiet hours (${spanOf(quiet_hours, executor)}), told afterwards`
    : undefined;
}
