/**
 * When a cron expression fires on a zone's clock. Every time that the clock shows counts once: an hour that is left
 * out when clocks go forward fires once, as it ends, and an hour that comes twice fires the first time only.
 */
import { Cron } from "croner";
import { offsetOf } from "../../mess/times.ts";
import { LIMITS } from "../../mess/limits.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Times of the clock that are looked at for one firing: more than the longest change of clocks has minutes. */
const MOST_TRIES = 3 * 60;

/** Five fields, or a name such as `@daily`; undefined where the text is neither, or never fires. */
export function readCron(text: string): Cron | undefined {
  if (text.length > LIMITS.cronChars) return undefined;
  const words = text.trim();
  if (!(/^@\w+$/.test(words) || words.split(/\s+/).length === 5)) return undefined;
  try {
    // Times of the clock are read as if they were UTC: the zone comes in afterwards.
    const cron = new Cron(words, { mode: "5-part", timezone: "UTC", paused: true });
    return cron.nextRun() ? cron : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The first instant after `after` at which the expression fires, in milliseconds since 1970 UTC; undefined where
 * there is none.
 */
export function nextFiring(text: string, zone: string, after: number): number | undefined {
  const cron = readCron(text);
  let wall = after + offsetOf(after, zone);
  for (let tried = 0; tried < MOST_TRIES; tried++) {
    const next = cron?.nextRun(new Date(wall));
    if (!next) return undefined;
    wall = next.getTime();
    const instant = instantOf(wall, zone);
    if (instant > after) return instant;
  }
  return undefined;
}

/** When the zone's clock first shows `wall`, or where it never does, when it passes over it. */
function instantOf(wall: number, zone: string): number {
  const before = offsetOf(wall - DAY, zone);
  const behind = offsetOf(wall + DAY, zone);
  const shown = [wall - before, wall - behind]
    .filter((instant) => instant + offsetOf(instant, zone) === wall)
    .toSorted((a, b) => a - b);
  return shown[0] ?? changeBetween(wall - DAY, wall + DAY, before, zone);
}

/** The minute in which the zone leaves the offset that it has at `early`. */
function changeBetween(early: number, late: number, offset: number, zone: string): number {
  let from = Math.floor(early / MINUTE);
  let to = Math.ceil(late / MINUTE);
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if (offsetOf(middle * MINUTE, zone) === offset) from = middle;
    else to = middle;
  }
  return to * MINUTE;
}
