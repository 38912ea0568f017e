/**
 * Computes when a cron expression fires on the clock of a time zone. Each local time fires once: a time skipped when
 * clocks go forward fires at the end of the gap, and a repeated time fires only the first time.
 */
import { Cron } from "croner";
import { getZoneOffset } from "../../mess/times.ts";
import { LIMITS } from "../../mess/limits.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Local times that are tried for one firing: more minutes than the longest clock change has. */
const MAX_TRIES = 3 * 60;

/** Parses five fields, or a name such as `@daily`; undefined if the text is invalid or never fires. */
export function readCron(text: string): Cron | undefined {
  if (text.length > LIMITS.cronChars) return undefined;
  const expression = text.trim();
  if (!(/^@\w+$/.test(expression) || expression.split(/\s+/).length === 5)) return undefined;
  try {
    // Local times are computed as if they were UTC; `toInstant` applies the time zone afterwards.
    const cron = new Cron(expression, { mode: "5-part", timezone: "UTC", paused: true });
    return cron.nextRun() ? cron : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The first instant after `after` at which the expression fires, in milliseconds since 1970; undefined if there is
 * none.
 */
export function getNextFiring(text: string, zone: string, after: number): number | undefined {
  const cron = readCron(text);
  let wallTime = after + getZoneOffset(after, zone);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const next = cron?.nextRun(new Date(wallTime));
    if (!next) return undefined;
    wallTime = next.getTime();
    const instant = toInstant(wallTime, zone);
    if (instant > after) return instant;
  }
  return undefined;
}

/** When the zone's clock first shows `wallTime`; for a skipped time, when the clock jumps over it. */
function toInstant(wallTime: number, zone: string): number {
  const before = getZoneOffset(wallTime - DAY_MS, zone);
  const offsetAfter = getZoneOffset(wallTime + DAY_MS, zone);
  const instants = [wallTime - before, wallTime - offsetAfter]
    .filter((instant) => instant + getZoneOffset(instant, zone) === wallTime)
    .toSorted((a, b) => a - b);
  return instants[0] ?? findOffsetChange(wallTime - DAY_MS, wallTime + DAY_MS, before, zone);
}

/** The minute in which the zone's offset changes from the one at `start`. */
function findOffsetChange(start: number, end: number, offset: number, zone: string): number {
  let from = Math.floor(start / MINUTE_MS);
  let to = Math.ceil(end / MINUTE_MS);
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if (getZoneOffset(middle * MINUTE_MS, zone) === offset) from = middle;
    else to = middle;
  }
  return to * MINUTE_MS;
}
