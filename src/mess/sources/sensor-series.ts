/**
 * The state of one numeric series of a sensor: when it crosses a threshold, when it is back, and when it is silent. Each
 * is reported once. Pure.
 */

/** Thresholds of a series. */
export interface SeriesRule {
  /** Values greater than it are reported. */
  above?: number;
  /** Values less than it are reported. */
  below?: number;
  /** A value counts as back only when it is past the threshold by this much, so that noise around it is not reported. */
  hysteresis: number;
  /** A threshold counts as crossed after this time. */
  forMs: number;
  /** Without a reading for this time the series is silent. */
  silentAfterMs?: number;
}

export type SeriesLevel = "normal" | "above" | "below";
type CrossedLevel = Exclude<SeriesLevel, "normal">;

/** The state of a series between readings. Times are milliseconds since 1970. */
export interface SeriesState {
  level: SeriesLevel;
  /** When the last reading arrived, whatever its own time; at first when the series was set up. */
  arrived: number;
  /** Time and value of the newest reading. */
  at?: number;
  value?: number;
  /** Readings are past a threshold since this time, but not yet for long enough. */
  pending?: { level: CrossedLevel; since: number };
  silent?: true;
}

export interface Reading {
  value: number;
  /** Absent: now. */
  at?: number;
}

export type SeriesEvent = { at: number } & (
  | { type: "crossed"; level: CrossedLevel; value: number }
  | { type: "back"; level: CrossedLevel; value: number }
  /** `since`: when the last reading arrived. */
  | { type: "silent"; since: number }
  | { type: "resumed"; value: number }
);

export interface SeriesChange {
  state: SeriesState;
  events: SeriesEvent[];
}

/** @param now milliseconds since 1970 */
export const createSeries = (now: number): SeriesState => ({ level: "normal", arrived: now });

/** A reading that is not newer than the last one, late or repeated, shows only that the sensor is alive. */
export function takeReading(
  rule: SeriesRule,
  state: SeriesState,
  { value, at: given }: Reading,
  now: number,
): SeriesChange {
  const { silent, ...rest } = state;
  const last = state.at ?? Number.NEGATIVE_INFINITY;
  // A clock that is ahead would make all later readings count as late.
  const at = given === undefined ? Math.max(now, last + 1) : Math.min(given, now);
  const events: SeriesEvent[] = silent ? [{ type: "resumed", value, at: now }] : [];
  if (at <= last) return { state: { ...rest, arrived: now }, events };
  const moved = moveLevel(rule, { ...rest, arrived: now, at, value }, value, at);
  return { state: moved.state, events: [...events, ...moved.events] };
}

/** Reports what the passing of time has brought: a threshold crossed for long enough, or silence. */
export function passTime(rule: SeriesRule, state: SeriesState, now: number): SeriesChange {
  const { pending, value } = state;
  const moved =
    pending && value !== undefined
      ? moveLevel(rule, state, value, Math.max(now, pending.since))
      : { state, events: [] };
  const { silentAfterMs } = rule;
  if (silentAfterMs === undefined || state.silent || now - state.arrived < silentAfterMs)
    return moved;
  return {
    state: { ...moved.state, silent: true },
    events: [...moved.events, { type: "silent", since: state.arrived, at: now }],
  };
}

/** When `passTime` could report something without another reading; undefined for never. */
export function getNextCheck(
  { forMs, silentAfterMs }: SeriesRule,
  { pending, silent, arrived }: SeriesState,
): number | undefined {
  const times = [
    ...(pending ? [pending.since + forMs] : []),
    ...(silent || silentAfterMs === undefined ? [] : [arrived + silentAfterMs]),
  ];
  return times.length === 0 ? undefined : Math.min(...times);
}

function moveLevel(rule: SeriesRule, state: SeriesState, value: number, at: number): SeriesChange {
  const { pending, ...rest } = state;
  const { level } = state;
  const found = findLevel(rule, level, value);
  if (found === level) return { state: rest, events: [] };
  const back: SeriesEvent[] = level === "normal" ? [] : [{ type: "back", level, value, at }];
  if (found === "normal") return { state: { ...rest, level: found }, events: back };
  const since = pending?.level === found ? pending.since : at;
  return at - since >= rule.forMs
    ? { state: { ...rest, level: found }, events: [{ type: "crossed", level: found, value, at }] }
    : { state: { ...rest, level: "normal", pending: { level: found, since } }, events: back };
}

/** The level of a value, given the level before. */
function findLevel(
  { above = Infinity, below = -Infinity, hysteresis }: SeriesRule,
  level: SeriesLevel,
  value: number,
): SeriesLevel {
  if (value > above || (level === "above" && value > above - hysteresis)) return "above";
  if (value < below || (level === "below" && value < below + hysteresis)) return "below";
  return "normal";
}
