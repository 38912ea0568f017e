/**
 * When a cron expression fires on a zone's clock. Every time that the clock shows counts once: an hour that is left
 * out when clocks go forward fires once, as it ends, and an hour that comes twice fires the first time only.
 */
import { Cron } from "croner";
import { getZoneOffset } from "../../mess/times.ts";
import { LIMITS } from "../../mess/limits.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Times of the clock that are looked at for one firing: more than the longest change of clocks has minutes. */
const MAX_TRIES = 3 * 60;

/** Five fields, or a name such as `@daily`; undefined where the text is neither, or never fires. */
export function readCron(text: string): Cron | undefined {
  if (text.length > LIMITS.cronChars) return undefined;
  const expression = text.trim();
  if (!(/^@\w+$/.test(expression) || expression.split(/\s+/).length === 5)) return undefined;
  try {
    // Times of the clock are read as if they were UTC: the zone comes in afterwards.
    const cron = new Cron(expression, { mode: "5-part", timezone: "UTC", paused: true });
    return cron.nextRun() ? cron : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The first instant after `after` at which the expression fires, in milliseconds since 1970 UTC; undefined where
 * there is none.
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

/** When the zone's clock first shows `wallTime`, or where it never does, when it passes over it. */
function toInstant(wallTime: number, zone: string): number {
  const before = getZoneOffset(wallTime - DAY_MS, zone);
  const offsetAfter = getZoneOffset(wallTime + DAY_MS, zone);
  const instants = [wallTime - before, wallTime - offsetAfter]
    .filter((instant) => instant + getZoneOffset(instant, zone) === wallTime)
    .toSorted((a, b) => a - b);
  return instants[0] ?? findOffsetChange(wallTime - DAY_MS, wallTime + DAY_MS, before, zone);
}

/** The minute in which the zone leaves the offset that it has at `early`. */
function findOffsetChange(early: number, late: number, offset: number, zone: string): number {
  let from = Math.floor(early / MINUTE_MS);
  let to = Math.ceil(late / MINUTE_MS);
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if (getZoneOffset(middle * MINUTE_MS, zone) === offset) from = middle;
    else to = middle;
  }
  return to * MINUTE_MS;
}
